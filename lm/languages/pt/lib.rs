//! The built-in models of majuscule for Portuguese.

majuscule_embed::models!("pt.accurate", "pt.fast");

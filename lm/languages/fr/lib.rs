//! The built-in models of majuscule for French.

majuscule_embed::models!("fr.accurate", "fr.fast");

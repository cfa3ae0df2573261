//! The built-in models of majuscule for German.

majuscule_embed::models!("de.accurate", "de.fast");

//! The built-in models of majuscule for Dutch.

majuscule_embed::models!("nl.accurate", "nl.fast");

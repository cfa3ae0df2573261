//! The built-in models of majuscule for Italian.

majuscule_embed::models!("it.accurate", "it.fast");

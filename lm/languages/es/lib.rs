//! The built-in models of majuscule for Spanish.

majuscule_embed::models!("es.accurate", "es.fast");

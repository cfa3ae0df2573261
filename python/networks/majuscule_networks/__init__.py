"""The networks of the presets `best` and `small` of majuscule, which finds them here."""

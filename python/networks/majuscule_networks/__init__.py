"""The networks of the preset `best` of majuscule, which finds them here."""

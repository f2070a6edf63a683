"""The arena: matches and tournaments of any players, and what their results say about strength."""

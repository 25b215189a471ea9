"""Where things are kept: one port, one schema, several databases."""

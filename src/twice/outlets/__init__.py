"""Where approved knowledge flows to, each effect with an exact undo."""

"""The migrations themselves, in order of their numbers."""

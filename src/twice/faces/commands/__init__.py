"""The commands, one module each, loaded only when called."""

"""Values and pure functions: no clock, no file, no network, nothing of ours but the core."""

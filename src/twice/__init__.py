"""Twice learns what you keep telling your coding agents, and asks before it uses it."""

__version__ = "0.1.0"

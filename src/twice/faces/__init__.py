"""The ways in: command line and hooks. A face holds no rule."""

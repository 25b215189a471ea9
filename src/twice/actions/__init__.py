"""The verbs: gather inputs, ask the core, append, write."""

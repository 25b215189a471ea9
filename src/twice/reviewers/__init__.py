"""Who may say yes: people, and for plain memories the rules that people set."""

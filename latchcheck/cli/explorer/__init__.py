"""A run walked through in the terminal: what happened, what could have happened instead, and what was in the way."""

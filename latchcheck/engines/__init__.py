"""Engines that answer questions about a system: each reads the same model, none knows what it is about."""

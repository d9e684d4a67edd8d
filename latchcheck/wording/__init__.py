"""Sentences in controlled English, turned into monitors of a System, and what can be asked of them."""

"""Consumers of a report: text for people, JSON for programs."""

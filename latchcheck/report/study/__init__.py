"""Recomputed tables of a published study, for people and for programs."""

"""Observed defaults of published clients and servers, each with its provenance."""

"""The words of MCP Tasks that a sentence may use, bound to the lifecycle model and to the timed model."""

"""What happens: MCP Tasks as a guarded-action transition system."""

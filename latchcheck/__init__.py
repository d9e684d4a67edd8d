"""A property-based formal model and verifier for the MCP Tasks lifecycle.

The checker (kernel, report, command line) knows nothing about MCP.
What happens is in `latchcheck.model`, what must hold in `latchcheck.properties`,
and what broke it in `latchcheck.counterexamples`.
"""

__version__ = "0.1.0"

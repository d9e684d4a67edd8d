"""The measured study of the source paper, recomputed on this model, and what lies past its tables.

Source: Ajin Baby, *Stateless Protocol, Stateful Problem: Durability, Retry, and Retention Policy for MCP Tasks*, 2026,
section 6 ("the paper").
"""

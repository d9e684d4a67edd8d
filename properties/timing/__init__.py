"""The timing properties that verify answers."""

"""What broke it: saved counterexamples."""

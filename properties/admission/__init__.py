"""What the admission policy guarantees: proofs over its decision tables, and what its guards keep out."""

"""Task stores over real databases: one that compares and swaps, one that reads and then writes."""

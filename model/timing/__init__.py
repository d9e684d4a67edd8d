"""The dense-time half of the model: poll schedule, sweeps, windows."""

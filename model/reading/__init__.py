"""Reading a timeout configuration from files, presets and assignments."""

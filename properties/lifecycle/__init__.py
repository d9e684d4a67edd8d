"""The lifecycle properties: one family a file, each property beside its sentence and source."""

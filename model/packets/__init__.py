"""Admission packets: one request against one stored record, decided by the lifecycle model's own actions."""

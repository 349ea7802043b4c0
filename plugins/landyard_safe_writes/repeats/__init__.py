"""Repeats: a call that is sent again with the same idempotency key is done once."""

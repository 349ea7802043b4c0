"""Dry runs: a call is made and answered with what it would change, and nothing of it is kept."""

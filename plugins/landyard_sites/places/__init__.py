"""Queries and changes of sites and folders, with the caller's rights checked."""

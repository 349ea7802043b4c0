"""Uploaded files: their bytes on disk and their rows in the database."""

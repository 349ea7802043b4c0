"""Uploaded files: bytes on disk, rows in the database, and the pages and sites that use them."""

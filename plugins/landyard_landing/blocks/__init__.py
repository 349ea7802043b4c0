"""Blocks of pages: block types, templates, drafts, their history and their publication."""

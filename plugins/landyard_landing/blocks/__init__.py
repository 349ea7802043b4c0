"""What pages are made of: block types, page templates, drafts, their history, publication."""

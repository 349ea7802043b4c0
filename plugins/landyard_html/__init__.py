"""Parses, sanitises, edits and merges a block's HTML by its manifest, without a database."""


def words(text: str) -> frozenset[str]:
    """Split a text at its white space into a set of words."""
    return frozenset(text.split())

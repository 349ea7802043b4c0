"""A block's HTML, parsed, sanitised and edited by its manifest, without a database."""


def words(text: str) -> frozenset[str]:
    """Split a text at its white space into a set of words."""
    return frozenset(text.split())

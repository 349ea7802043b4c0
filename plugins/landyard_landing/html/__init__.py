"""A block's HTML: parsed, cleaned and edited by its manifest, without a database."""


def words(text: str) -> frozenset[str]:
    """Read a set of words as one text."""
    return frozenset(text.split())

"""Sizes: how large a block's HTML may become, asked before the memory for it is taken."""

from landyard import InvalidRequest

LARGEST = 512 * 1024
"""Characters of a block's HTML, unless the operator says otherwise."""


class TooLarge(InvalidRequest):
    """A call would make something larger than the settings allow (B18)."""

    def __init__(self, text: str) -> None:
        """Say what would be too large."""
        super().__init__(text, status=413)


def require_length(length: int, most: int, what: str = "The block's HTML") -> None:
    """Raise `TooLarge` for what would have so many characters."""
    if length > most:
        raise TooLarge(f"{what} would have more than {most} characters.")

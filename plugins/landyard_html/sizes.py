"""The limit on the size of a block's HTML, checked before the HTML is built."""

from landyard import InvalidRequest

LARGEST = 512 * 1024
"""The most characters of a block's HTML, unless the operator sets another limit."""


class TooLarge(InvalidRequest):
    """A call would make something larger than the settings allow (B18)."""

    def __init__(self, text: str) -> None:
        """Answer 413; the text names the thing that would be too large."""
        super().__init__(text, status=413)


def require_length(length: int, most: int, what: str = "The block's HTML") -> None:
    """Raise `TooLarge` for more than `most` characters; `what` names the text in the error."""
    if length > most:
        raise TooLarge(f"{what} would have more than {most} characters.")

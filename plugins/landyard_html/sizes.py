"""The limit on the size of a block's HTML, checked before the HTML is built."""

LARGEST = 512 * 1024
"""The most characters of a block's HTML, unless the operator sets another limit."""


class TooLong(Exception):
    """A block's HTML would have more than `most` characters (B18)."""

    def __init__(self, most: int) -> None:
        super().__init__(f"The block's HTML would have more than {most} characters.")

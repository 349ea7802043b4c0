"""The block types of this plugin, read from their folders and given a common style sheet."""

from importlib.resources import files

from msgspec import structs

from landyard_catalogue.interactive_blocks import SHOWN
from landyard_content import blocks, words

HOLDER = "site.header"
"""The block type whose folder holds the style sheet and the pictures shared by all.

A page then loads one style sheet, whichever of the blocks it has.
"""


def block_types() -> list[blocks.BlockType]:
    """Return the block types; `checked=True` is verified by a test."""
    by_code = {
        each.code: each for each in blocks.read_block_types(files("landyard_catalogue") / "blocks")
    }
    css = by_code[HOLDER].css
    labels = words.read_words(files("landyard_catalogue") / "words", dict[str, str])
    return [
        structs.replace(each, css=css, show=SHOWN.get(code), labels=labels, checked=True)
        for code, each in by_code.items()
    ]

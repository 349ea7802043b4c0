"""The block types of this plugin: their folders, one style sheet for all, and what visitors get."""

from importlib.resources import files

from msgspec import structs

from landyard_catalogue.showing import SHOWN
from landyard_landing import BlockType, read_block_types, read_words

HOLDER = "site.header"
"""The block type in whose folder the style sheet and the pictures are that all of them share.

A page then asks for one sheet, whichever of the blocks it has.
"""


def block_types() -> list[BlockType]:
    """Read the block types; a test checks what is said to be checked."""
    found = {each.code: each for each in read_block_types(files("landyard_catalogue") / "blocks")}
    css = found[HOLDER].css
    labels = read_words(files("landyard_catalogue") / "words", dict[str, str])
    return [
        structs.replace(each, css=css, show=SHOWN.get(code), labels=labels, checked=True)
        for code, each in found.items()
    ]

"""Counts tags to refuse HTML that nests too deeply to be parsed in time.

A tree builder repeats open formatting elements in every paragraph and walks its open elements for
every tag. A few kilobytes can thus cost seconds, so the tags are counted before parsing.
"""

from landyard_html import tree, words

MAX_DEPTH = 128
MAX_FORMATTING = 16
MAX_ATTRIBUTES = 256

_SMALL = 4096
_FEW = 64
VOID = words("area base br col embed hr img input link meta param source track wbr")
OPTIONAL_END = words("caption colgroup dd dt li optgroup option p rp rt tbody td tfoot th thead tr")
_FORMATTING = words("a b big code em font i nobr s small strike strong tt u")


def is_tangled(html: str) -> bool:
    """Whether the HTML has too many nested elements or attributes for a tree builder."""
    if len(html) < _SMALL and html.count("<") < _FEW:
        return False
    stack: list[str] = []
    formatting = 0
    for token in tree.tokenize(html):
        if token.type is tree.TokenType.START_TAG:
            if len(token.attrs or ()) > MAX_ATTRIBUTES:
                return True
            tag = token.tag or ""
            if tag in VOID or (tag in OPTIONAL_END and stack and stack[-1] == tag):
                continue
            stack.append(tag)
            formatting += tag in _FORMATTING
            if len(stack) > MAX_DEPTH or formatting > MAX_FORMATTING:
                return True
        elif token.type is tree.TokenType.END_TAG:
            formatting -= _close(stack, token.tag or "")
    return False


def bare_text(html: str) -> str:
    """The text between the tags, with character references decoded."""
    return "".join(
        token.data or "" for token in tree.tokenize(html) if token.type is tree.TokenType.TEXT
    )


def _close(stack: list[str], tag: str) -> int:
    """Close the element that an end tag certainly closes; return 1 for a formatting element.

    An end tag that a tree builder might ignore closes nothing, so the count is never too low.
    """
    passable = _FORMATTING if tag in _FORMATTING else OPTIONAL_END
    depth = len(stack)
    while depth and stack[depth - 1] != tag and stack[depth - 1] in passable:
        depth -= 1
    if not depth or stack[depth - 1] != tag:
        return 0
    if tag in _FORMATTING:  # in `<b><i></b>` a tree builder opens the <i> again behind the </b>
        del stack[depth - 1]
        return 1
    del stack[depth - 1 :]
    return 0

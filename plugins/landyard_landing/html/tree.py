"""The HTML parser, imported when the first block is edited: who serves pages needs none."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turbohtml import Element, SelectorSyntaxError, TokenType, parse_fragment, tokenize

__all__ = ["Element", "SelectorSyntaxError", "TokenType", "parse_fragment", "tokenize"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    import turbohtml

    found = globals()[name] = getattr(turbohtml, name)  # a look-up from now on
    return found

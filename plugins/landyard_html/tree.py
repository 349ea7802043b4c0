"""Imports the HTML parser's names when first used, because serving pages needs no parser."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turbohtml import Element, SelectorSyntaxError, TokenType, parse_fragment, tokenize

__all__ = ["Element", "SelectorSyntaxError", "TokenType", "parse_fragment", "tokenize"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    import turbohtml

    attribute = globals()[name] = getattr(turbohtml, name)  # found without this function next time
    return attribute

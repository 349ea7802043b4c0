"""The style sheets of an SVG: the declarations of their rules for an element (U1).

Design tools write `.cls-1{fill:#fff}`. Supported are selectors of an element, a class, an id, or an
element with one of these; all other rules and at-rules are ignored. Runs in the decoder's process.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from .kinds import Unusable

Declarations = dict[str, str]

_MOST_SELECTORS = 4096
# An unclosed comment or rule extends to the end, so that no text is scanned twice.
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_AT_RULE = re.compile(r"@[^{;]*+(?:;|\{(?:[^{}]++|\{[^{}]*+\})*+\}?)?")
_SELECTOR = re.compile(r"(?:[\w-]+|\*)?(?:[.#][\w-]+)?")


class Sheet:
    """The rules of all style sheets of a picture."""

    def __init__(self, text: str, read: Callable[[str], Declarations]) -> None:
        """Parse `text`, all sheets concatenated; raises `Unusable` for too many rules."""
        self._rules: dict[str, dict[str, tuple[int, str]]] = {}
        plain = _AT_RULE.sub(" ", _COMMENT.sub(" ", text))
        for number, rule in enumerate(plain.split("}")):
            selectors, _, body = rule.partition("{")
            declared = {name: (number, value) for name, value in read(body).items()}
            for selector in map(str.strip, selectors.split(",")):
                if selector and _SELECTOR.fullmatch(selector):
                    self._rules.setdefault(selector, {}).update(declared)
            if len(self._rules) > _MOST_SELECTORS:
                raise Unusable(f"The SVG's style sheets have more than {_MOST_SELECTORS} rules.")

    def declared(self, name: str, attributes: Mapping[str, str]) -> Declarations:
        """Return the declarations for an element; the most specific rule wins, then the last."""
        if not self._rules:
            return {}
        winning: dict[str, tuple[int, int, str]] = {}
        for weight, selector in _selectors(name, attributes):
            for property_name, (number, value) in self._rules.get(selector, {}).items():
                winning[property_name] = max(
                    winning.get(property_name, (-1, 0, "")), (weight, number, value)
                )
        return {property_name: value for property_name, (_, _, value) in winning.items()}


def _selectors(name: str, attributes: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the selectors that match an element, each with its specificity."""
    yield from ((0, "*"), (1, name))
    for each in attributes.get("class", "").split():
        yield from ((2, f".{each}"), (2, f"*.{each}"), (3, f"{name}.{each}"))
    own = attributes.get("id", "")
    yield from ((4, f"#{own}"), (4, f"*#{own}"), (5, f"{name}#{own}"))

"""Style sheets of an SVG: what their rules say of an element (U1).

Design tools write `.cls-1{fill:#fff}`. Rules of an element, a class, an id, or of an element with
one of these are read; all others, and what begins with `@`, are passed over. Runs in the decoder's
process.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from landyard_uploads.decode.kinds import Unusable

Declarations = dict[str, str]

_MOST_SELECTORS = 4096
# What is not closed goes on to the end, so that nothing is looked through twice.
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_AT_RULE = re.compile(r"@[^{;]*+(?:;|\{(?:[^{}]++|\{[^{}]*+\})*+\}?)?")
_SELECTOR = re.compile(r"(?:[\w-]+|\*)?(?:[.#][\w-]+)?")


class Sheet:
    """The rules of all style sheets of a picture."""

    def __init__(self, text: str, read: Callable[[str], Declarations]) -> None:
        """Read `text`, the sheets one behind the other; raises `Unusable` for too many rules."""
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
        """Return what the rules declare for an element; the most specific, then the last counts."""
        if not self._rules:
            return {}
        found: dict[str, tuple[int, int, str]] = {}
        for weight, selector in _selectors(name, attributes):
            for known, (number, value) in self._rules.get(selector, {}).items():
                found[known] = max(found.get(known, (-1, 0, "")), (weight, number, value))
        return {known: value for known, (_, _, value) in found.items()}


def _selectors(name: str, attributes: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Go through the selectors that find an element, each with how specific it is."""
    yield from ((0, "*"), (1, name))
    for each in attributes.get("class", "").split():
        yield from ((2, f".{each}"), (2, f"*.{each}"), (3, f"{name}.{each}"))
    own = attributes.get("id", "")
    yield from ((4, f"#{own}"), (4, f"*#{own}"), (5, f"{name}#{own}"))

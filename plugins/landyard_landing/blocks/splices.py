"""Splices: of long HTML that an edit changed, the history keeps what differs from what it was."""

from collections.abc import Callable, Mapping
from typing import Any

Values = Mapping[str, Any]
_LONG = 1_000  # characters: shorter HTML is kept whole
_NEAR = 60  # characters: where exactly the change begins and ends need not be found


def spliced(before: Values, after: Values) -> Values:
    """Return what is kept of the values that an edit wrote: long HTML as the place that differs.

    That is `{"splice": [first, last, text]}`: the text stands between so many first and last
    characters of the HTML before.
    """
    was, became = before.get("content", ""), after.get("content", "")
    most = min(len(was), len(became))
    if most < _LONG:
        return after
    end = len(became)
    first = _most(most, lambda less, more: was.startswith(became[less:more], less))
    last = _most(most - first, lambda _, more: was.endswith(became[end - more :]))
    return {**after, "content": {"splice": [first, last, became[first : end - last]]}}


def whole(before: Values, after: Values) -> Values:
    """Return the values that an edit wrote, from what is kept of them."""
    kept = after.get("content")
    if not isinstance(kept, dict):
        return after
    was = before["content"]
    first, last, text = kept["splice"]
    return {**after, "content": f"{was[:first]}{text}{was[len(was) - last :]}"}


def _most(most: int, is_same: Callable[[int, int], bool]) -> int:
    """Find by halves how many characters are the same, or some fewer.

    `is_same` tells whether so many are, where so many fewer are known to be.
    """
    less, beyond = 0, most
    while beyond - less > _NEAR:
        more = (less + beyond) // 2
        less, beyond = (more, beyond) if is_same(less, more) else (less, more)
    return less

"""Keeps in an entry of the history what an edit changed; of long HTML the changed part (B14)."""

from collections.abc import Mapping
from typing import Any

_LONG = 1_000  # characters: shorter HTML is kept whole in the history
_NEAR = 60  # characters: the precision with which the ends of a change are found
_SHORT = 150  # characters: most edits are shorter, so the end is searched there first


def changed_values(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the values that differ, of before and after an edit, as its history entry has them."""
    changed = [name for name, value in after.items() if value != before[name]]
    was = {name: before[name] for name in changed}
    return was, spliced(was, {name: after[name] for name in changed})


def spliced(before: Mapping[str, Any], after: Mapping[str, Any]) -> Mapping[str, Any]:
    """Shorten the values that a history entry keeps; `whole` restores them.

    Of HTML of 1,000 characters or more only the changed part is kept, as a splice.
    """
    was, became = before.get("content", ""), after.get("content", "")
    most = min(len(was), len(became))
    if most < _LONG:
        return after
    first, end = _alike(was, became, most), len(became)
    last = most - first - _SHORT
    if last < 0 or not was.endswith(became[end - last :]):
        last = _alike(was[::-1], became[::-1], most - first)
    return {**after, "content": {"splice": [first, last, became[first : end - last]]}}


def _alike(was: str, became: str, most: int) -> int:
    """Find by bisection the length of the common start of two texts, up to 60 too short."""
    alike, beyond = 0, most
    while beyond - alike > _NEAR:
        middle = (alike + beyond) // 2
        if was.startswith(became[alike:middle], alike):
            alike = middle
        else:
            beyond = middle
    return alike


def whole(before: Mapping[str, Any], after: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the values that an edit wrote, from what an entry keeps of them.

    Of long HTML that is `{"splice": [first, last, text]}`: the text stands between so many first
    and last characters of what it was before.
    """
    kept = after.get("content")
    if not isinstance(kept, dict):
        return after
    was = before["content"]
    first, last, text = kept["splice"]
    return {**after, "content": f"{was[:first]}{text}{was[len(was) - last :]}"}

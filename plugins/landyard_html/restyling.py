"""Changes classes and inline styles of a block's elements, as `landing.block.updateStyles` does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from landyard_html import tree
from landyard_html.manifests import Manifest, Place, split_position
from landyard_html.markup import Markup
from landyard_html.nesting import MAX_ATTRIBUTES
from landyard_html.php_lists import as_list
from landyard_html.styles import declarations, safe_style
from landyard_html.values import WrongValue

_EXPECTED = (
    "a class, a list of classes, or an object with 'classList' and 'affect' (lists of strings) and"
    " 'style' (an object of strings)"
)


class Restyle(Struct, frozen=True):
    """New classes of an element, None for no change, and new declarations of its style by name.

    `cleared` are the properties to remove from the styles of all elements inside.
    """

    classes: tuple[str, ...] | None
    cleared: frozenset[str]
    style: dict[str, str]


def restyle(
    content: str, data: Mapping[str, object], manifest: Manifest, *, block_id: int
) -> str | None:
    """A block's HTML with the classes and styles in `data`; None where no element is found.

    A selector without a position changes all elements found (`B8`); `#wrapper` and `#block<ID>` are
    the block's outermost element. Declarations that the policy refuses are not set (`H1`).
    Raises WrongValue for a value of the wrong shape, and then nothing is changed (`B9`).
    """
    read = {key: _read(f"data[{key}]", value) for key, value in data.items()}
    markup, acted = Markup(content), False
    for key, wanted in read.items():
        for element in _found(markup, key, manifest, {"#wrapper", f"#block{block_id}"}):
            _apply(markup, element, wanted)
            acted = True
    return markup.source() if acted else None


def _found(markup: Markup, key: str, manifest: Manifest, own: set[str]) -> list[tree.Element]:
    selector, index = split_position(key)
    if selector in own:
        return Place(selector, index=index).pick_all(markup.outermost)
    place = manifest.place(key)
    if place is None or place.is_component:
        return []
    return place.pick_all(markup.select(place.selector))


def _read(parameter: str, value: object) -> Restyle:
    if not isinstance(value := as_list(value), Mapping):
        return Restyle(_texts(parameter, value), frozenset(), {})
    style = value.get("style") or {}
    if not isinstance(style, Mapping):
        raise WrongValue(parameter, _EXPECTED)
    values = [each for each in style.values() if each is not None]
    if not all(isinstance(each, str | int | float) for each in values):
        raise WrongValue(parameter, _EXPECTED)
    classes = value.get("classList")
    return Restyle(
        None if classes is None else _texts(parameter, as_list(classes)),
        frozenset(each.lower() for each in _texts(parameter, as_list(value.get("affect") or []))),
        {str(name).strip().lower(): str(each) for name, each in style.items() if each is not None},
    )


def _texts(parameter: str, value: Any) -> tuple[str, ...]:
    """Split a text, or each text of a list, at its blanks into names; each name once."""
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise WrongValue(parameter, _EXPECTED)
    return tuple(dict.fromkeys(name for each in found for name in each.split()))


def _apply(markup: Markup, element: tree.Element, wanted: Restyle) -> None:
    if wanted.classes is not None and _has_room(element, "class"):
        markup.set_attribute(element, "class", " ".join(wanted.classes) or None)
    if wanted.cleared:
        for inner in [each for each in element.iter_elements() if each is not element]:
            style = inner.attr("style") or ""
            if (kept := _without(style, wanted.cleared)) != style:
                markup.set_attribute(inner, "style", kept or None)
    if wanted.style and _has_room(element, "style"):
        merged = _merged(element.attr("style") or "", wanted.style)
        markup.set_attribute(element, "style", merged)


def _merged(style: str, wanted: Mapping[str, str]) -> str | None:
    """The style with new values; an empty or refused value removes its property."""
    parts = [_without(style, wanted.keys()).strip().removesuffix(";")]
    for name, value in wanted.items():
        # Checked one by one: a semicolon in a value must not declare another property.
        part = f"{name}: {value.strip()}"
        safe = safe_style(part, pictures=True) if value.strip() else None
        if safe == part and len(declarations(part) or ()) == 1:
            parts.append(part)
    return "; ".join(each for each in parts if each) or None


def _without(style: str, names: Iterable[str]) -> str:
    """The style without the named properties; unchanged if it has none of these names."""
    removed = {*names}
    parts = declarations(style) or []
    kept = [part for part in parts if part.partition(":")[0].strip().lower() not in removed]
    if len(kept) == len(parts):
        return style
    return "; ".join(part.strip() for part in kept if part.strip())


def _has_room(element: tree.Element, name: str) -> bool:
    return name in element.attrs or len(element.attrs) < MAX_ATTRIBUTES

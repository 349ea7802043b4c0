"""Sets attributes of a block's elements, as `landing.block.updateattrs` does (`B8`, `B12`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from landyard_html.addresses import picture_address
from landyard_html.allowed import attribute_allowed, attribute_value
from landyard_html.embeds import FRAME_ADDRESSES
from landyard_html.manifests import Manifest, Place, split_position
from landyard_html.markup import Markup
from landyard_html.nesting import MAX_ATTRIBUTES
from landyard_html.values import Rules, WrongValue, attribute_text, frame_address

if TYPE_CHECKING:
    from turbohtml import Element

HOSTED = frozenset({"data-src", "poster", "src"})
"""The attributes that are checked against the service's own hosts (`Rules`)."""

_NAME = re.compile(r"[a-z][a-z0-9_.-]*")
# Never set by a caller (`B12`); the sandbox is the policy's.
_RESERVED = frozenset({"class", "id", "sandbox", "srcdoc", "style"})


class Attributes(Struct, frozen=True):
    """Attributes to set: their values as text, by name in lower case.

    `parameter` is where the caller wrote them; `embeds` whether the selector names a frame.
    """

    parameter: str
    texts: Mapping[str, str]
    embeds: bool = False


def settable(sent: Mapping[str, object], declared: Collection[str] | None) -> dict[str, str]:
    """Keep the attributes that a caller may set: values as text, by name in lower case (`B12`).

    `declared` are the names that the manifest declares. Where it declares none, any safe name is
    kept. A null value counts as absent.
    """
    return {
        name.lower(): attribute_text(value)
        for name, value in sent.items()
        if value is not None and (not declared or name in declared) and _is_safe(name.lower())
    }


def set_attribute(
    markup: Markup, element: Element, attributes: Attributes, name: str, rules: Rules
) -> bool:
    """Set one attribute where the policy lets the element have it; tell whether it does.

    A refused address of a link becomes `#`; any other refused value removes the attribute (`H1`).
    Raises WrongValue for the refused address of a frame (`H3`).
    """
    is_full = name not in element.attrs and len(element.attrs) >= MAX_ATTRIBUTES
    if is_full or not attribute_allowed(element.tag, name):
        return False
    markup.set_attribute(element, name, _value(element.tag, attributes, name, rules))
    return True


def update_attributes(
    content: str, data: Mapping[str, object], manifest: Manifest, *, block_id: int, rules: Rules
) -> str | None:
    """A block's HTML with the entries of `data` applied in their order; None when none applies.

    `data` maps selectors to objects of attributes. A selector without a position sets all elements
    found; one with a position sets that element (`B8`). `#block<ID>` finds the block's outermost
    element; a component's selector finds none. Skipped are values that are no objects, selectors
    that the manifest does not have, attributes that an element may not have, and refused
    addresses of frames.
    """
    markup = Markup(content, rules.most)
    acted = False
    for key, sent in data.items():
        if not isinstance(sent, Mapping):
            continue
        found, declared, embeds = _target(markup, key, manifest, f"#block{block_id}")
        attributes = Attributes(f"data[{key}]", settable(sent, declared), embeds)
        for element in found:
            acted |= _set_all(markup, element, attributes, rules)
    return markup.source() if acted else None


def _target(
    markup: Markup, key: str, manifest: Manifest, own: str
) -> tuple[list[Element], frozenset[str] | None, bool]:
    """The elements that a key finds, the names declared for them, and whether they are embeds.

    `own` is the selector of the block itself.
    """
    selector, index = split_position(key)
    if selector == own:
        found = markup.outermost if manifest.style_block else []
        return Place(own, index=index).pick_all(found), manifest.block_attrs, False
    place = manifest.place(key)
    if place is None:
        return [], None, False
    return place.pick_all(markup.select(place.selector)), place.attrs, place.type == "embed"


def _set_all(markup: Markup, element: Element, attributes: Attributes, rules: Rules) -> bool:
    acted = False
    for name in attributes.texts:
        with suppress(WrongValue):  # the method has no error code for a refused frame
            acted |= set_attribute(markup, element, attributes, name, rules)
    return acted


def _value(tag: str, attributes: Attributes, name: str, rules: Rules) -> str | None:
    """The value to write, by the rule for frames, pictures or other attributes."""
    text = attributes.texts[name]
    if name in FRAME_ADDRESSES if tag == "iframe" else attributes.embeds and name == "data-src":
        return frame_address(attributes.parameter, text, rules) or None
    if name in {"poster", "src"}:
        return picture_address(text, rules.own_hosts)
    value = attribute_value(tag, name, text)
    return "#" if value is None and name == "href" else value


def _is_safe(name: str) -> bool:
    return name not in _RESERVED and not name.startswith("on") and _NAME.fullmatch(name) is not None

"""Nodes of a block: what `landing.block.updatenodes` does to its HTML (`B7`-`B11`, `B16`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct
from turbohtml import Element, SelectorSyntaxError, parse_fragment

from landyard_landing.attributes import Attributes, set_attribute, settable
from landyard_landing.manifests import Manifest
from landyard_landing.markup import Markup
from landyard_landing.menus import render_items
from landyard_landing.policy import attribute_value
from landyard_landing.selectors import Place, find_place
from landyard_landing.styles import with_background
from landyard_landing.texts import write_text
from landyard_landing.values import (
    Embed,
    Icon,
    Link,
    Map,
    MenuItems,
    NodeValue,
    Picture,
    Rules,
    Text,
    WrongValue,
    read_attributes,
    read_menu,
    read_parameters,
    read_value,
)

__all__ = ["Edited", "Rules", "WrongValue", "update_nodes"]

# The class names icon fonts use. All others are structure: `landing-block-node-icon`, `g-mb-10`.
_ICON_CLASS = re.compile(
    r"fa[bdlrs]?|fa-.+|icons?-.+|et-icon.*|hs-icon.*|la[bdlrs]?|la-.+|bi|bi-.+|mdi|mdi-.+|ti|ti-.+"
    r"|glyphicon.*|material-icons.*"
)


class Edited(Struct, frozen=True):
    """The block after an edit: its HTML, its component parameters, how many entries acted."""

    content: str
    params: dict[str, dict[str, object]]
    applied: int


class _Edit(Struct, frozen=True):
    place: Place
    value: NodeValue | Attributes


class _Editor(Struct, frozen=True):
    """What every single edit needs to know."""

    markup: Markup
    manifest: Manifest
    structure: str
    rules: Rules
    append_menu: bool


def update_nodes(
    content: str,
    params: Mapping[str, Mapping[str, object]],
    data: Mapping[str, object],
    manifest: Manifest,
    *,
    structure: str,
    rules: Rules,
    append_menu: bool = False,
) -> Edited:
    """A block's HTML and component parameters with all of `data` applied, in its order.

    `structure` is the manifest's own HTML of the block: an icon keeps the structural classes it
    has there (`B10`). Keys the manifest does not have are ignored (`B7`); an entry that finds no
    element, or sets nothing the manifest allows, does not count in `applied`.

    Refused addresses: a link's becomes `#`, a picture's and any other attribute is cleared, an
    embed's is a WrongValue (`H1`, `H3`). Cleared attributes are removed.

    Raises WrongValue for a value of the wrong shape for its node type, whether or not the
    block has such an element, and then nothing is applied (`B9`).
    """
    edits: list[_Edit] = []
    components: dict[str, dict[str, object]] = {name: dict(of) for name, of in params.items()}
    applied = 0
    for key, value in data.items():
        place = find_place(key, manifest)
        if place is None:
            continue
        parameter = f"data[{key}]"
        if place.is_component:
            applied += _set_parameters(
                components, place, read_parameters(parameter, value), manifest
            )
        else:
            found = _read(parameter, place, value, manifest, rules)
            if found is not None:
                edits.append(_Edit(place, found))
    if edits:
        editor = _Editor(Markup(content), manifest, structure, rules, append_menu)
        counted = sum([_apply(editor, edit) for edit in edits])
        if counted:
            content = editor.markup.source()
        applied += counted
    return Edited(content, components, applied)


def _set_parameters(
    components: dict[str, dict[str, object]],
    place: Place,
    sent: Mapping[str, object],
    manifest: Manifest,
) -> int:
    allowed = manifest.attrs.get(place.selector, frozenset())
    kept = {name: value for name, value in sent.items() if name in allowed}
    if kept:
        components[place.selector] = components.get(place.selector, {}) | kept
    return 1 if kept else 0


def _read(
    parameter: str, place: Place, value: object, manifest: Manifest, rules: Rules
) -> NodeValue | Attributes | None:
    """What an entry means, None when it means nothing for its selector."""
    attributes = read_attributes(parameter, value)
    if attributes is not None:
        texts = settable(attributes, manifest.attrs.get(place.selector))
        return Attributes(parameter, texts, place.type == "embed") if texts else None
    if place.selector in manifest.menu:
        return read_menu(parameter, value)
    return read_value(parameter, place.type, value, rules)


def _apply(editor: _Editor, edit: _Edit) -> int:
    """Carry out one edit; 1 if it found anything to act on."""
    found = editor.markup.select(edit.place.selector)
    if isinstance(edit.value, Attributes):
        acted = [
            set_attribute(editor.markup, element, edit.value, name, editor.rules)
            for element in edit.place.pick_all(found)
            for name in edit.value.texts
        ]
        return int(any(acted))
    for element in edit.place.pick(found):
        _write(editor, edit.place, element, edit.value)
        return 1
    return 0


def _write(editor: _Editor, place: Place, element: Element, value: NodeValue) -> None:
    markup = editor.markup
    match value:
        case Text():
            write_text(markup, element, value.html)
        case Link():
            _write_link(editor, place, element, value)
        case Picture():
            _write_picture(markup, element, value)
        case Icon():
            structural = _structural_classes(editor.structure, place.selector, place.index or 0)
            if structural is None:
                structural = _without_icons(element, place.selector)
            names = dict.fromkeys((*structural, *value.classes))
            markup.set_attribute(element, "class", " ".join(names))
        case Embed():
            _write_embed(markup, element, value)
        case Map():
            markup.set_attribute(element, "data-map", value.json)
        case MenuItems():
            html = render_items(value.items, editor.manifest.menu[place.selector])
            (markup.append if editor.append_menu else markup.set_content)(element, html)


def _write_link(editor: _Editor, place: Place, element: Element, link: Link) -> None:
    markup = editor.markup
    node = editor.manifest.nodes.get(place.selector)
    if link.text is not None and not link.skip_content and not (node and node.skip_content):
        write_text(markup, element, link.text)
    address = link.address(element.attr("href"))
    if address is not None:
        markup.set_attribute(element, "href", address)
    markup.set_attribute(element, "target", link.target or None)
    for name in ("data-embed", "data-url"):
        value = link.data.get(name)
        kept = None if value is None else attribute_value(element.tag, name, value)
        markup.set_attribute(element, name, kept)


def _write_picture(markup: Markup, element: Element, picture: Picture) -> None:
    """An `<img>` gets `src` and `srcset`, anything else a background picture (`B10`)."""
    if element.tag == "img":
        markup.set_attribute(element, "src", picture.src)
        # A srcset is cut at the commas around an address, and data: has one inside.
        usable = picture.src2x and not picture.src2x.startswith("data:")
        srcset = f"{picture.src2x.replace(',', '%2C')} 2x" if picture.src2x and usable else None
        markup.set_attribute(element, "srcset", srcset)
        if picture.alt is not None:
            markup.set_attribute(element, "alt", picture.alt)
    else:
        style = with_background(element.attr("style") or "", picture.src, picture.src2x)
        markup.set_attribute(element, "style", style)
    markup.set_attribute(element, "data-fileid", picture.file_id)
    markup.set_attribute(element, "data-fileid2x", picture.file_id2x)


def _write_embed(markup: Markup, element: Element, embed: Embed) -> None:
    if embed.src is not None:
        name = "src" if element.tag == "iframe" else "data-src"
        markup.set_attribute(element, name, embed.src or None)
    if embed.source is not None:
        markup.set_attribute(element, "data-source", embed.source)
    markup.set_attribute(element, "data-preview", embed.preview)


@lru_cache(maxsize=256)
def _structural_classes(structure: str, selector: str, index: int) -> tuple[str, ...] | None:
    """The classes the manifest's HTML gives the element, without those of its icon (`B10`).

    Copies of a card have no counterpart of their own there and follow the last one. None when
    it has no such element.
    """
    try:
        found = parse_fragment(structure).select(selector)
    except SelectorSyntaxError:
        return None
    return _without_icons(found[min(index, len(found) - 1)], selector) if found else None


def _without_icons(element: Element, selector: str) -> tuple[str, ...]:
    """The classes that are structure; those the selector finds the element by always are."""
    named = set(re.findall(r"\.([\w-]+)", selector))
    names = (element.attr("class") or "").split()
    return tuple(name for name in names if name in named or not _ICON_CLASS.fullmatch(name))

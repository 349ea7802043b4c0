"""Checks a plugin's block type when the plugin is switched on: code, HTML, selectors, nodes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from landyard import PluginError
from landyard_html import tree
from landyard_html.manifests import Manifest, Place
from landyard_html.markup import Markup
from landyard_html.microdata import read_meaning, wrong_meaning
from landyard_html.node_types import NodeElement, NodeType
from landyard_html.policy import clean_block
from landyard_html.selectors import wrong_selectors
from landyard_html.values import Editor, Rules

_CODE = re.compile(r"[\w-]+(\.[\w-]+)+", re.ASCII)
_SHOWN = 40  # characters of HTML in a message


def check_block(
    code: str,
    manifest: Manifest,
    content: str,
    node_types: Mapping[str, NodeType],
    *,
    is_builtin: bool,
) -> None:
    """Raise `PluginError` for the first error in a block type; a built-in type's code is one."""
    wrong = (
        _wrong_code(code, is_builtin=is_builtin)
        or _wrong_content(content)
        or wrong_selectors(manifest.document)
        or wrong_meaning(manifest.document)
        or _wrong_places(manifest, content, node_types)
    )
    if wrong:
        raise PluginError(f"block type '{code}': {wrong}")


def _wrong_code(code: str, *, is_builtin: bool) -> str:
    if is_builtin:
        return "a built-in block type has this code; name it after your plugin"
    if not _CODE.fullmatch(code):
        return "its code must be words with dots between them, such as 'guestbook.invitation'"
    return ""


def _wrong_content(content: str) -> str:
    cleaned = clean_block(content)
    if cleaned == content:
        return "" if content.strip() else "its HTML is empty"
    at = next(
        (at for at, pair in enumerate(zip(content, cleaned, strict=False)) if len({*pair}) > 1), 0
    )
    at = max(0, content.rfind("<", 0, at + 1))
    return (
        "the sanitising policy changes its HTML: write"
        f" '{cleaned[at : at + _SHOWN]}' in place of '{content[at : at + _SHOWN]}'"
    )


def _wrong_places(manifest: Manifest, content: str, node_types: Mapping[str, NodeType]) -> str:
    if unknown := manifest.other_types - node_types.keys():
        return (
            f"there is no type of node '{min(unknown)}'; bring it as a NodeType, or require the"
            " plugin that does"
        )
    fragment = tree.parse_fragment(content)
    meaning = read_meaning(manifest.document)
    for selector in meaning.selectors if meaning else ():
        if wrong := _wrong_selector(fragment, selector):
            return wrong
    for selector, place in manifest.places.items():
        if place.is_component:
            continue
        if wrong := _wrong_selector(fragment, selector):
            return wrong
        if place.type in node_types and place.menu is None:
            _check_values(place, content, node_types[place.type])
    return ""


def _wrong_selector(fragment: tree.Element, selector: str) -> str:
    if wrong := wrong_selectors({"nodes": {selector: {}}}):
        return wrong
    try:
        found = fragment.select(selector)
    except tree.SelectorSyntaxError as error:
        return f"the selector '{selector}' of its manifest cannot be read: {error}"
    return (
        "" if found else f"the selector '{selector}' of its manifest finds no element in its HTML"
    )


def _check_values(place: Place, content: str, kind: NodeType) -> None:
    """Read each node of a plugin's type, and write its own value back to it."""
    markup = Markup(content)
    editor = Editor(markup, content, Rules(), append_menu=False)
    for element in markup.select(place.selector):
        _check_value(NodeElement(editor, element, place.selector), place, kind)


def _check_value(element: NodeElement, place: Place, kind: NodeType) -> None:
    try:
        value = kind.clean(kind.read(element))
        kind.write(element, value)
        again = kind.clean(kind.read(element))
    except Exception as error:
        raise PluginError(
            f"node type '{kind.name}': {type(error).__name__}: {error}; it must read a value"
            f" from the element '{place.selector}' that it can clean and write"
        ) from error
    if again != value:
        raise PluginError(
            f"node type '{kind.name}': it wrote {value!r:.40} into '{place.selector}' and read"
            f" {again!r:.40} from there"
        )

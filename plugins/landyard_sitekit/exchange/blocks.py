"""Writes a block's nodes, styles, attributes and cards for an export, and fills a block by them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from landyard_content import blocks
from landyard_html import tree
from landyard_html.attributes import update_attributes
from landyard_html.manifests import Node
from landyard_html.markup import Markup
from landyard_html.nodes import update_nodes
from landyard_html.values import Rules, WrongValue

Values = Mapping[str, list[Any]]

_READ = {"img": ("src", "alt"), "link": ("href", "target"), "embed": ("src", "data-source")}
_NAMED = {"data-source": "source"}


def written_block(content: str, kind: blocks.BlockType) -> dict[str, Any]:
    """Read the values in a block's HTML by the manifest's selectors: a list by position for each.

    The parts are `nodes`, `style`, `attrs` and, if the block has any, `cards`.
    """
    markup, manifest = Markup(content), kind.manifest
    nodes = {
        selector: [_node(element, node) for element in markup.select(selector)]
        for selector, node in manifest.nodes.items()
        if ":" not in selector
    }
    style = {
        selector: [element.attr("class") or "" for element in markup.select(selector)]
        for selector in sorted(manifest.style_nodes)
    }
    attrs = {
        selector: [
            {name: value for name in sorted(names) if (value := element.attr(name)) is not None}
            for element in markup.select(selector)
        ]
        for selector, names in manifest.attrs.items()
        if names and ":" not in selector
    }
    cards = {
        selector: {"source": [{"type": "card", "value": number} for number in range(count)]}
        for selector in manifest.cards
        if (count := len(markup.select(selector)))
    }
    found = {"nodes": nodes, "style": style, "attrs": attrs}
    filled = {part: {key: each for key, each in of.items() if each} for part, of in found.items()}
    return {**filled, **({"cards": cards} if cards else {})}


def filled_block(kind: blocks.BlockType, exported: Mapping[str, Any], rules: Rules) -> str:
    """Write a block's exported nodes and attributes into its type's HTML; skip wrong values."""
    content = kind.content
    for key, value in _positions(exported.get("nodes")):
        try:
            edited = update_nodes(
                content, {}, {key: value}, kind.manifest, structure=kind.content, rules=rules
            )
        except WrongValue:
            continue
        content = edited.content
    for key, value in _positions(exported.get("attrs")):
        try:
            done = update_attributes(content, {key: value}, kind.manifest, block_id=0, rules=rules)
        except WrongValue:
            continue
        content = content if done is None else done
    return content


def _node(element: tree.Element, node: Node) -> Any:
    if node.type == "icon":
        return (element.attr("class") or "").split()
    if node.type not in _READ:
        return element.inner_html
    found = {_NAMED.get(name, name): element.attr(name) or "" for name in _READ[node.type]}
    return found | ({"text": element.inner_html} if node.type == "link" else {})


def _positions(of: Any) -> list[tuple[str, Any]]:
    if not isinstance(of, Mapping):
        return []
    return [
        (f"{selector}@{position}", value)
        for selector, values in of.items()
        if isinstance(values, list)
        for position, value in enumerate(values)
    ]

"""Changes nodes of a block's HTML, as `landing.block.updatenodes` does (`B7`-`B11`, `B16`)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from landyard_html.attributes import Attributes, set_attribute, settable
from landyard_html.manifests import Manifest, Place
from landyard_html.markup import Markup
from landyard_html.node_types import NodeType, TypedValue, read_typed, write_typed
from landyard_html.values import Editor, NodeValue, Rules, WrongValue, read_value, write_value

if TYPE_CHECKING:
    from turbohtml import Element

_TEXT = "a string or an object with 'text'"
_ATTRIBUTES = "an object with 'attrs', an object"


class Edited(Struct, frozen=True):
    """The block after an edit: HTML, component parameters, and the number of entries applied."""

    content: str
    params: dict[str, dict[str, object]]
    applied: int


class Text(Struct, frozen=True):
    """Rich text, not yet sanitised."""

    html: str


Edit = tuple[Place, Text | Attributes | NodeValue | TypedValue]
NodeTypes = Mapping[str, NodeType]
_BUILT_IN: NodeTypes = {}


def update_nodes(
    content: str,
    params: Mapping[str, Mapping[str, object]],
    data: Mapping[str, object],
    manifest: Manifest,
    *,
    structure: str,
    rules: Rules,
    append_menu: bool = False,
    node_types: NodeTypes = _BUILT_IN,
    lenient: bool = False,
) -> Edited:
    """A block's HTML and component parameters with all of `data` applied, in its order.

    `structure` is the manifest's own HTML of the block; an icon keeps its structural classes from
    there (`B10`). `node_types` are the types of nodes of plugins, by name. Keys that the manifest
    does not have are ignored (`B7`). An entry that finds no element, or sets nothing that the
    manifest allows, does not count in `applied`.

    A refused address of a link becomes `#`. A refused address of a picture, and any other refused
    attribute, is removed. A refused address of an embed raises WrongValue (`H1`, `H3`).

    Raises WrongValue for a value of the wrong shape for its node type, whether or not the
    block has such an element, and then nothing is applied (`B9`). A `lenient` call skips such
    values.
    """
    components: dict[str, dict[str, object]] = {name: dict(of) for name, of in params.items()}
    edits: list[Edit] = []
    parameterised = 0
    for key, value in data.items():
        place = manifest.places.get(key) or manifest.place(key)
        if place is None:
            continue
        parameter = f"data[{key}]"
        try:
            if place.is_component:
                parameterised += _set_parameters(components, place, _sent(parameter, value))
            elif (read := _read(parameter, place, value, rules, node_types)) is not None:
                edits.append((place, read))
        except WrongValue:
            if not lenient:
                raise
    source, acted = _apply(edits, content, structure, rules, append_menu=append_menu)
    return Edited(source, components, acted + parameterised)


def _set_parameters(
    components: dict[str, dict[str, object]], place: Place, sent: Mapping[str, object]
) -> int:
    kept = {name: value for name, value in sent.items() if name in (place.attrs or ())}
    if kept:
        components[place.selector] = components.get(place.selector, {}) | kept
    return 1 if kept else 0


def _read(
    parameter: str, place: Place, value: object, rules: Rules, node_types: NodeTypes
) -> Text | Attributes | NodeValue | TypedValue | None:
    """Read an entry by its place's type of node; None when the entry sets nothing there."""
    if isinstance(value, Mapping) and value.keys() == {"attrs"}:
        # `attrs` is the only member here: a link's value may have an `attrs` beside others.
        texts = settable(_sent(parameter, value), place.attrs)
        return Attributes(parameter, texts, place.type == "embed") if texts else None
    if place.type in node_types and place.menu is None:
        return read_typed(parameter, node_types[place.type], value)
    if place.type != "text" or place.menu is not None:
        return read_value(parameter, place, value, rules)
    text = value.get("text") if isinstance(value, Mapping) else value
    if not isinstance(text, str):
        raise WrongValue(parameter, _TEXT)
    return Text(text)


def _sent(parameter: str, value: object) -> dict[str, object]:
    """Read the attributes of a value `{attrs: {...}}` without null ones (`B11`)."""
    attributes = value.get("attrs") if isinstance(value, Mapping) and len(value) == 1 else None
    if attributes == []:
        return {}
    if not isinstance(attributes, Mapping):
        raise WrongValue(parameter, _ATTRIBUTES)
    return {str(name): item for name, item in attributes.items() if item is not None}


def _apply(
    edits: Sequence[Edit], content: str, structure: str, rules: Rules, *, append_menu: bool
) -> tuple[str, int]:
    """Apply the edits; return the HTML, and how many edits found an element."""
    if not edits:
        return content, 0
    markup, acted = Markup(content, rules.most), 0
    editor = Editor(markup, structure, rules, append_menu)
    for place, value in edits:
        found = markup.select(place.selector)
        if isinstance(value, Attributes):
            acted += _set_attributes(editor, place.pick_all(found), value)
            continue
        index = place.index or 0
        for element in found[index : index + 1]:
            if isinstance(value, Text):
                markup.set_text(element, value.html)
            elif isinstance(value, TypedValue):
                write_typed(editor, element, value)
            else:
                write_value(editor, place, element, value)
            acted += 1
    return (markup.source() if acted else content), acted


def _set_attributes(editor: Editor, found: Sequence["Element"], attributes: Attributes) -> bool:
    acted = [
        set_attribute(editor.markup, element, attributes, name, editor.rules)
        for element in found
        for name in attributes.texts
    ]
    return any(acted)

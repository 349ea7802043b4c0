"""The values a caller sends for nodes: checked for shape, made safe, before anything changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import msgspec
from msgspec import Struct

from landyard_landing.addresses import (
    embed_address,
    link_address,
    media_address,
    picture_address,
    with_query,
)
from landyard_landing.menus import EXPECTED as MENU_EXPECTED
from landyard_landing.menus import MenuItem, link_target, read_items


class Rules(Struct, frozen=True):
    """What the service allows.

    `own_hosts` are the names this server answers to, with their ports; `embed_hosts` the hosts
    frames may show, None for any but our own (`H3`).
    """

    own_hosts: frozenset[str] = frozenset()
    embed_hosts: frozenset[str] | None = None


class WrongValue(Exception):
    """A value of the wrong shape for its node, or a refused embed: `TYPE_ERROR` (`B9`, `H3`).

    `Parameter '<parameter>' must be <expected>.` is the sentence the two are made for.
    """

    def __init__(self, parameter: str, expected: str) -> None:
        super().__init__(f"Parameter {parameter!r} must be {expected}.")
        self.parameter = parameter
        self.expected = expected


class Text(Struct, frozen=True):
    """Rich text, not yet sanitised."""

    html: str


class Link(Struct, frozen=True):
    """A link; None leaves text or address as they are, an empty target clears it (`B10`)."""

    text: str | None
    href: str | None
    target: str
    query: str
    skip_content: bool
    data: Mapping[str, str]

    def address(self, current: str | None) -> str | None:
        """The address the link gets, None for no change; a refused one is `#`."""
        if self.href is None and not self.query:
            return None
        address = with_query((current or "") if self.href is None else self.href, self.query)
        safe = link_address(address)
        return "#" if safe is None else safe


class Picture(Struct, frozen=True):
    """A picture; an address that is missing or refused is None and clears (`B10`)."""

    src: str | None
    src2x: str | None
    alt: str | None
    file_id: str | None
    file_id2x: str | None


class Icon(Struct, frozen=True):
    """The class names that make the icon."""

    classes: tuple[str, ...]


class Embed(Struct, frozen=True):
    """A frame; None leaves the address or the source as they are."""

    src: str | None
    source: str | None
    preview: str | None


class Map(Struct, frozen=True):
    """A map's data as JSON text."""

    json: str


class MenuItems(Struct, frozen=True):
    """A menu's items."""

    items: tuple[MenuItem, ...]


NodeValue = Text | Link | Picture | Icon | Embed | Map | MenuItems

_CLASS = re.compile(r"[A-Za-z0-9_-]+")
_TEXT = "a string or an object with 'text'"
_LINK = "an object with 'text', 'href', 'target' and 'query' (strings)"
_PICTURE = "an object with 'src', 'alt' and 'src2x' (strings)"
_ICON = "an array of CSS class names"
_EMBED = "an object with 'src' and 'source' (strings)"
_EMBED_ADDRESS = "an object whose 'src' is an https address of an allowed host"
_MAP = "an object, or its JSON text"
_ATTRIBUTES = "an object with 'attrs', an object"


def read_attributes(parameter: str, value: object) -> dict[str, object] | None:
    """What `{attrs: {...}}` holds (`B11`), or None when the value is not of that form.

    The key `attrs` stands alone: a link's value may also have one among its own. Null members
    are absent ones.
    """
    if not isinstance(value, Mapping) or value.keys() != {"attrs"}:
        return None
    attributes = value["attrs"]
    if attributes == []:
        return {}
    if not isinstance(attributes, Mapping):
        raise WrongValue(parameter, _ATTRIBUTES)
    return {str(name): item for name, item in attributes.items() if item is not None}


def read_parameters(parameter: str, value: object) -> dict[str, object]:
    """The parameters sent for a component; only the form `{attrs: {...}}` carries any."""
    found = read_attributes(parameter, value)
    if found is None:
        raise WrongValue(parameter, _ATTRIBUTES)
    return found


def attribute_text(value: object) -> str:
    """An attribute's value as text: numbers in digits, booleans as words, else JSON (`B12`)."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def read_value(parameter: str, node_type: str, value: object, rules: Rules) -> NodeValue | None:
    """The value of a node of this type, None for a type that takes no value; or WrongValue."""
    if node_type in _RULED_READERS:
        return _RULED_READERS[node_type](parameter, value, rules)
    if node_type in _READERS:
        return _READERS[node_type](parameter, value)
    return None


def read_menu(parameter: str, value: object) -> MenuItems:
    """The value of a menu, or WrongValue."""
    items = read_items(value)
    if items is None:
        raise WrongValue(parameter, MENU_EXPECTED)
    return MenuItems(items)


def frame_address(parameter: str, address: str, rules: Rules) -> str:
    """The address of a frame, or WrongValue when it is refused (`H3`); empty stays empty."""
    if not address.strip():
        return ""
    safe = embed_address(address, rules.own_hosts, rules.embed_hosts)
    if safe is None:
        raise WrongValue(parameter, _EMBED_ADDRESS)
    return safe


def _fields(
    parameter: str, value: object, names: tuple[str, ...], expected: str
) -> dict[str, str | None]:
    """The named strings of an object, None for those that are absent or null."""
    if value == []:
        value = {}
    if not isinstance(value, Mapping):
        raise WrongValue(parameter, expected)
    found: dict[str, str | None] = {}
    for name in names:
        item = value.get(name)
        if not isinstance(item, str | None):
            raise WrongValue(parameter, expected)
        found[name] = item
    return found


def _text(parameter: str, value: object) -> Text:
    text = value.get("text") if isinstance(value, Mapping) else value
    if not isinstance(text, str):
        raise WrongValue(parameter, _TEXT)
    return Text(text)


def _link(parameter: str, value: object) -> Link:
    fields = _fields(parameter, value, ("text", "href", "target", "query"), _LINK)
    extra = value if isinstance(value, Mapping) else {}
    attributes = extra.get("attrs")
    data = attributes if isinstance(attributes, Mapping) else {}
    return Link(
        text=fields["text"],
        href=fields["href"],
        target=link_target(fields["target"]),
        query=fields["query"] or "",
        skip_content=bool(extra.get("skipContent")),
        data={
            name: data[name]
            for name in ("data-embed", "data-url")
            if isinstance(data.get(name), str)
        },
    )


def _picture(parameter: str, value: object, rules: Rules) -> Picture:
    fields = _fields(parameter, value, ("src", "alt", "src2x"), _PICTURE)
    extra = value if isinstance(value, Mapping) else {}
    return Picture(
        src=picture_address(fields["src"] or "", rules.own_hosts) or None,
        src2x=picture_address(fields["src2x"] or "", rules.own_hosts) or None,
        alt=fields["alt"],
        file_id=_file_id(extra.get("id")),
        file_id2x=_file_id(extra.get("id2x")),
    )


def _file_id(value: object) -> str | None:
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return text if text.isascii() and text.isdigit() and text.strip("0") else None


def _icon(parameter: str, value: object) -> Icon:
    if not isinstance(value, list):
        raise WrongValue(parameter, _ICON)
    for name in value:
        if not isinstance(name, str) or not _CLASS.fullmatch(name):
            raise WrongValue(parameter, _ICON)
    return Icon(tuple(dict.fromkeys(value)))


def _embed(parameter: str, value: object, rules: Rules) -> Embed:
    fields = _fields(parameter, value, ("src", "source", "preview"), _EMBED)
    src, source, preview = fields["src"], fields["source"], fields["preview"]
    return Embed(
        src=None if src is None else frame_address(parameter, src, rules),
        source=None if source is None else link_address(source) or "",
        preview=media_address(preview) if preview else None,
    )


def _map(parameter: str, value: object) -> Map:
    if isinstance(value, Mapping):
        return Map(attribute_text(value))
    try:
        document = msgspec.json.decode(value) if isinstance(value, str) else None
    except msgspec.DecodeError:
        document = None
    if not isinstance(document, dict):
        raise WrongValue(parameter, _MAP)
    return Map(attribute_text(document))


_READERS: dict[str, Callable[[str, object], NodeValue]] = {
    "icon": _icon,
    "link": _link,
    "map": _map,
    "text": _text,
}
_RULED_READERS: dict[str, Callable[[str, object, Rules], NodeValue]] = {
    "embed": _embed,
    "img": _picture,
    "styleimg": _picture,
}

"""Values of links, pictures, icons, embeds, maps and menus, read from calls, written to HTML."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct, field

from landyard_html import tree
from landyard_html.addresses import (
    embed_address,
    link_address,
    media_address,
    picture_address,
    with_query,
)
from landyard_html.allowed import attribute_value
from landyard_html.icons import structural_classes, without_icons
from landyard_html.manifests import Place
from landyard_html.markup import Markup
from landyard_html.menus import EXPECTED as MENU_EXPECTED
from landyard_html.menus import MenuItem, link_target, read_items, render_items
from landyard_html.php_lists import as_list
from landyard_html.sizes import LARGEST
from landyard_html.styles import with_background


class Rules(Struct, frozen=True):
    """The service's limits for values.

    `own_hosts` are the hosts that this server answers to, with their ports. `embed_hosts` are the
    hosts that frames may show, None for any but our own (`H3`). `most` is the most characters of a
    block's HTML.
    """

    own_hosts: frozenset[str] = frozenset()
    embed_hosts: frozenset[str] | None = None
    most: int = LARGEST


class Editor(Struct, frozen=True):
    """A block under edit; `structure` is the HTML of its block type (`B10`)."""

    markup: Markup
    structure: str
    rules: Rules
    append_menu: bool


class WrongValue(Exception):
    """A value of the wrong shape for its node, or a refused embed: `TYPE_ERROR` (`B9`, `H3`).

    Its text is `Parameter '<parameter>' must be <expected>.`
    """

    def __init__(self, parameter: str, expected: str) -> None:
        super().__init__(f"Parameter {parameter!r} must be {expected}.")
        self.parameter = parameter
        self.expected = expected


class Link(Struct, frozen=True):
    """A link; None leaves text or address as they are, an empty target clears it (`B10`)."""

    text: str | None = None
    href: str | None = None
    target: str | None = None
    query: str | None = None
    skip_content: Any = field(name="skipContent", default=False)
    attrs: Any = None

    def address(self, current: str | None) -> str | None:
        """The link's new address, None for no change; a refused address becomes `#`."""
        if self.href is None and not self.query:
            return None
        base = (current or "") if self.href is None else self.href
        safe = link_address(with_query(base, self.query or ""))
        return "#" if safe is None else safe

    def data(self, name: str) -> str | None:
        """The text of an attribute sent with the link; None where it was not sent."""
        value = self.attrs.get(name) if isinstance(self.attrs, Mapping) else None
        return value if isinstance(value, str) else None


class Picture(Struct, frozen=True):
    """A picture as sent; a missing or refused address clears the picture's own (`B10`)."""

    src: str | None = None
    src2x: str | None = None
    alt: str | None = None
    id: Any = None
    id2x: Any = None


class Icon(Struct, frozen=True):
    """An icon's class names."""

    classes: tuple[str, ...]


class Embed(Struct, frozen=True):
    """A frame; None leaves the address or the source as they are."""

    src: str | None = None
    source: str | None = None
    preview: str | None = None


class Map(Struct, frozen=True):
    """A map's data as JSON text."""

    json: str


class MenuItems(Struct, frozen=True):
    """A menu's items."""

    items: tuple[MenuItem, ...]


NodeValue = Link | Picture | Icon | Embed | Map | MenuItems
T = TypeVar("T")

_Classes = list[Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]+\Z")]]
_LINK = "an object with 'text', 'href', 'target' and 'query' (strings)"
_PICTURE = "an object with 'src', 'alt' and 'src2x' (strings)"
_ICON = "an array of CSS class names"
_EMBED = "an object with 'src' and 'source' (strings)"
_EMBED_ADDRESS = "an object whose 'src' is an https address of an allowed host"
_MAP = "an object, or its JSON text"


def attribute_text(value: object) -> str:
    """An attribute's value as text: numbers in digits, booleans as words, else JSON (`B12`)."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def read_value(parameter: str, place: Place, value: object, rules: Rules) -> NodeValue | None:
    """Read the value of a menu or node; None for a type without values. Raises WrongValue."""
    if place.menu is not None:
        items = read_items(value)
        if items is None:
            raise WrongValue(parameter, MENU_EXPECTED)
        return MenuItems(items)
    found: NodeValue | None = None
    match place.type:
        case "link":
            found = _object(parameter, value, Link, _LINK)
        case "img" | "styleimg":
            found = _object(parameter, value, Picture, _PICTURE)
        case "icon":
            found = Icon(
                tuple(dict.fromkeys(_converted(parameter, as_list(value), _Classes, _ICON)))
            )
        case "embed":
            found = _embed(parameter, value, rules)
        case "map":
            found = _map(parameter, value)
    return found


def write_value(editor: Editor, place: Place, element: "tree.Element", value: NodeValue) -> None:
    """Write a value into its element."""
    markup = editor.markup
    match value:
        case Link():
            _write_link(editor, place, element, value)
        case Picture():
            _write_picture(editor, element, value)
        case Icon():
            structural = structural_classes(editor.structure, place.selector, place.index or 0)
            if structural is None:
                structural = without_icons(element, place.selector)
            names = dict.fromkeys((*structural, *value.classes))
            markup.set_attribute(element, "class", " ".join(names))
        case Embed():
            _write_embed(markup, element, value)
        case Map():
            markup.set_attribute(element, "data-map", value.json)
        case MenuItems():
            assert place.menu is not None
            html = render_items(value.items, place.menu)
            (markup.append if editor.append_menu else markup.set_content)(element, html)


def frame_address(parameter: str, address: str, rules: Rules) -> str:
    """The checked address of a frame; empty stays empty. Raises WrongValue if refused (`H3`)."""
    if not address.strip():
        return ""
    safe = embed_address(address, rules.own_hosts, rules.embed_hosts)
    if safe is None:
        raise WrongValue(parameter, _EMBED_ADDRESS)
    return safe


def _converted(parameter: str, value: object, kind: type[T], expected: str) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise WrongValue(parameter, expected) from None


def _object(parameter: str, value: object, kind: type[T], expected: str) -> T:
    """Read an object; the empty object may be sent as an empty list."""
    return _converted(parameter, {} if value == [] else value, kind, expected)


def _embed(parameter: str, value: object, rules: Rules) -> Embed:
    sent = _object(parameter, value, Embed, _EMBED)
    return Embed(
        src=None if sent.src is None else frame_address(parameter, sent.src, rules),
        source=None if sent.source is None else link_address(sent.source) or "",
        preview=media_address(sent.preview) if sent.preview else None,
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


def _write_link(editor: Editor, place: Place, element: "tree.Element", link: Link) -> None:
    markup = editor.markup
    if link.text is not None and not link.skip_content and not place.skip_content:
        markup.set_text(element, link.text)
    address = link.address(element.attr("href"))
    if address is not None:
        markup.set_attribute(element, "href", address)
    markup.set_attribute(element, "target", link_target(link.target) or None)
    for name in ("data-embed", "data-url"):
        value = link.data(name)
        kept = None if value is None else attribute_value(element.tag, name, value)
        markup.set_attribute(element, name, kept)


def _write_picture(editor: Editor, element: "tree.Element", picture: Picture) -> None:
    """An `<img>` gets `src` and `srcset`, anything else a background picture (`B10`)."""
    markup, hosts = editor.markup, editor.rules.own_hosts
    src = picture_address(picture.src or "", hosts) or None
    src2x = picture_address(picture.src2x or "", hosts) or None
    if element.tag == "img":
        markup.set_attribute(element, "src", src)
        # A srcset is split at commas, and a data: address contains one.
        usable = src2x and not src2x.startswith("data:")
        srcset = f"{src2x.replace(',', '%2C')} 2x" if src2x and usable else None
        markup.set_attribute(element, "srcset", srcset)
        if picture.alt is not None:
            markup.set_attribute(element, "alt", picture.alt)
    else:
        style = with_background(element.attr("style") or "", src, src2x)
        markup.set_attribute(element, "style", style)
    markup.set_attribute(element, "data-fileid", _file_id(picture.id))
    markup.set_attribute(element, "data-fileid2x", _file_id(picture.id2x))


def _write_embed(markup: Markup, element: "tree.Element", embed: Embed) -> None:
    if embed.src is not None:
        name = "src" if element.tag == "iframe" else "data-src"
        markup.set_attribute(element, name, embed.src or None)
    if embed.source is not None:
        markup.set_attribute(element, "data-source", embed.source)
    markup.set_attribute(element, "data-preview", embed.preview)


def _file_id(value: object) -> str | None:
    """The id of a picture's file as text; None for a value that is no id."""
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return text if text.isascii() and text.isdigit() and text.strip("0") else None

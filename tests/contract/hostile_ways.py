"""Every way to send hostile text into the service: a world with a page per way, and the calls.

Each text has its own block on the page of each way. A text found in a block therefore shows how it
was sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import structs
from plugins.html.hostile_texts import TEXTS, Hostile
from plugins.html.hostile_values import VALUES, Sent

SITE, HOME = 90, 9000
NODES, ATTRIBUTES, WHOLE, ADDRESSES = range(HOME + 1, HOME + 5)
FIELDS = [*range(HOME + 10, HOME + 16)]
PAGES = {"nodes": NODES, "attributes": ATTRIBUTES, "whole": WHOLE, "addresses": ADDRESSES}
FIRST_BLOCK = 100_000
FIRST_COPY = 900_000
TEMPLATE = "hostile-ways"
CODE = "hostile.ways"
PLAYER = "https://player.example/"
Ask = Callable[..., Any]

# A text with a NUL is refused everywhere with INVALID_REQUEST.
SENT_TEXTS = [structs.replace(text, html=text.html.replace("\x00", "")) for text in TEXTS]
SENT_VALUES = [sent for sent in VALUES if "\x00" not in sent.value]

HTML = (
    '<section class="landing-block"><div class="text">t</div><p class="line">t</p>'
    '<h2 class="head">t</h2><a class="go" href="#">t</a>'
    '<img class="pic" src="/assets/none" alt="" loading="lazy"><div class="bg">t</div>'
    '<i class="mark icon">t</i>{}<div class="lazy">t</div>'
    '<div class="map">t</div><table><tbody><tr><td class="cell">t</td></tr></tbody></table>'
    '<nav><ul class="menu-list"></ul></nav><video class="clip" preload="none"></video></section>'
)
FRAME = '<iframe class="film"></iframe>'
FRAMED = {"frame", "sandbox", "allow"}
_TYPES = {
    **dict.fromkeys((".text", ".line", ".head", ".cell"), "text"),
    **dict.fromkeys((".pic", ".bg"), "img"),
    **dict.fromkeys((".film", ".lazy"), "embed"),
    ".go": "link",
    ".mark": "icon",
    ".map": "map",
    ".clip": "text",
}
NAMES = [
    *("href", "src", "srcset", "data-src", "data-source", "data-map", "poster", "cite", "target"),
    *("rel", "title", "alt", "style", "class", "id", "srcdoc", "sandbox", "allow", "download"),
    *("onclick", "onload", "formaction", "ping", "name", "is", "slot", "popover", "xlink:href"),
    *("itemtype", "http-equiv", "attributionsrc", "autofocus", "sizes", "type", "data-x", "aria-x"),
]
MANIFEST = {
    "code": CODE,
    "name": "Every way",
    "content": HTML.format(FRAME),
    "manifest": {
        "nodes": {selector: {"type": kind} for selector, kind in _TYPES.items()},
        "attrs": {selector: [{"attribute": name} for name in NAMES] for selector in _TYPES},
        "style": {"block": {"additional": {"attrs": [{"attribute": name} for name in NAMES]}}},
        "menu": {".menu-list": {"item": "li", "nodes": {}}},
    },
}


def world() -> dict[str, Any]:
    """A site with one page per way. The texts also serve as block HTML and as anchors."""
    plain: list[tuple[int, Sequence[Hostile | Sent]]] = [
        (NODES, SENT_TEXTS),
        (ATTRIBUTES, SENT_TEXTS),
        (ADDRESSES, SENT_VALUES),
    ]
    pages = [_page(page, [_block(page, each) for each in of]) for page, of in plain]
    whole = [
        {**_block(WHOLE, text), "content": text.html, "anchor": f'x" {text.html}'}
        for text in SENT_TEXTS
    ]
    template = {
        "code": TEMPLATE,
        "title": "Hostile",
        "fields": {"TITLE": "Hostile"},
        "blocks": [{"code": CODE, "content": text.html} for text in SENT_TEXTS],
    }
    return {
        "manifests": [MANIFEST],
        "templates": [template],
        "sites": [{"id": SITE, "code": "assault", "title": "Assault", "main_page": HOME}],
        "pages": [_page(HOME, []), _page(WHOLE, whole), *pages, *(_page(of, []) for of in FIELDS)],
    }


def block_of(page: int, sent: Hostile | Sent) -> int:
    """The id of the block on this page that the text or value is sent to."""
    return FIRST_BLOCK + (page - HOME) * 10_000 + sent.number


def send_everything(ask: Ask) -> None:
    """Send every text and every value by every way; each call must succeed."""
    for text in SENT_TEXTS:
        send_nodes(ask, text.html, block_of(NODES, text))
        send_attributes(ask, text.html, block_of(ATTRIBUTES, text))
    for sent in SENT_VALUES:
        send_value(ask, sent)
    for page, number in zip(FIELDS, range(len(FIELDS)), strict=True):
        send_fields(ask, page, [text.html for text in SENT_TEXTS[number :: len(FIELDS)]])


def send_nodes(ask: Ask, text: str, block: int) -> None:
    """Send a text to every place of a node's value that can hold it."""
    picture = {"src": text, "src2x": f"x{text}", "alt": text, "id": text}
    item = {"text": text, "href": text, "target": text}
    data: dict[str, Any] = {
        **dict.fromkeys((".text", ".line", ".head", ".cell", ".clip"), text),
        ".go": {**item, "query": text, "attrs": {"data-url": text, "data-embed": text}},
        ".pic": picture,
        ".bg": picture,
        ".map": {text: [text]},
        ".film": {"source": text, "preview": text},
        ".lazy": {"source": text, "preview": text},
        ".menu-list": [{**item, "children": [item]}],
    }
    ask("landing.block.updatenodes", lid=NODES, block=block, data=data)


def send_attributes(ask: Ask, text: str, block: int) -> None:
    """Send a text as the value and as the name of every attribute of every element."""
    sent = {**dict.fromkeys(NAMES, text), text: text}
    data = {**dict.fromkeys(_TYPES, sent), f"#block{block}": sent, text: sent}
    ask("landing.block.updateattrs", lid=ATTRIBUTES, block=block, data=data)


def send_value(ask: Ask, sent: Sent) -> None:
    """Send a value to every place for values of its kind, through nodes and through attributes."""
    block = block_of(ADDRESSES, sent)
    value = sent.value
    attributes = {
        "link": {".go": {"href": value}, ".lazy": {"data-source": value}},
        "media": {".pic": {"src": value}, ".clip": {"src": value, "poster": value}},
        "srcset": {".pic": {"srcset": value}},
        "frame": {".film": {"src": value}, ".lazy": {"data-src": value}},
        "style": {".text": {"style": value}, f"#block{block}": {"style": value}},
        "data": {".text": {"data-x": value}, ".map": {"data-map": value}},
    }
    every = {selector: {sent.kind: value, "title": value} for selector in _TYPES}
    ask(
        "landing.block.updateattrs",
        lid=ADDRESSES,
        block=block,
        data={**every, **attributes.get(sent.kind, {})},
    )
    nodes: Mapping[str, Any] = {
        "link": {
            ".go": {"href": value},
            ".menu-list": [{"text": "x", "href": value}],
            ".film": {"source": value},
        },
        "media": {".pic": {"src": value, "src2x": value}, ".bg": {"src": value}},
        "style": {".text": f'<b style="{value}">x</b>'},
    }
    if sent.kind in nodes:
        ask("landing.block.updatenodes", lid=ADDRESSES, block=block, data=nodes[sent.kind])


def send_fields(ask: Ask, page: int, texts: list[str]) -> None:
    """Send texts as fields of an existing page, several at a time, and of a page made from a
    template.
    """
    names = ["METAMAIN_TITLE", "METAMAIN_DESCRIPTION", "METAMAIN_KEYWORDS", "METAROBOTS_INDEX"]
    names += ["METAOG_TITLE", "METAOG_DESCRIPTION", "METAOG_IMAGE", "HEADBLOCK_CODE"]
    shares = dict(zip(["TITLE", "DESCRIPTION", *names], _shares(texts, 10), strict=True))
    plain = {name: shares.pop(name) for name in ("TITLE", "DESCRIPTION")}
    switches = {"HEADBLOCK_USE": "Y", "METAMAIN_USE": "Y"}
    fields = {**plain, "ADDITIONAL_FIELDS": {**shares, **switches}}
    ask("landing.landing.update", lid=page, fields=fields)


def make_page(ask: Ask) -> int:
    """Make a page from a template with the texts as blocks and fields; return its id."""
    title, description = _shares([text.html for text in SENT_TEXTS], 2)
    fields = {"TITLE": title, "DESCRIPTION": description, "ID": HOME}
    made = ask("landing.landing.addByTemplate", siteId=SITE, code=TEMPLATE, fields=fields)
    assert isinstance(made, int)
    return made


def _shares(texts: list[str], count: int) -> Iterator[str]:
    # The head of a page has titles and attributes, so texts that break out of those come first.
    return ("</title>\">'>" + "".join(texts[number::count]) for number in range(count))


def _page(page: int, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": page, "site": SITE, "code": f"way-{page}", "blocks": blocks}


def _block(page: int, sent: Hostile | Sent) -> dict[str, Any]:
    # Frames cost a browser much time, so only some blocks have one. `.lazy` accepts any value.
    framed = sent.number % 9 == 0 if isinstance(sent, Hostile) else sent.kind in FRAMED
    content = HTML.format(FRAME if framed else "")
    return {"id": block_of(page, sent), "code": CODE, "content": content}

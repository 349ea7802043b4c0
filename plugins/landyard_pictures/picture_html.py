"""The HTML of pictures on published pages: sizes, variants, focus and lazy loading."""

import re
from collections.abc import Mapping, Sequence
from html import escape, unescape

from msgspec import Struct
from sqlalchemy import Connection, select

from landyard import Host, Prepared, one_of
from landyard_content import files
from landyard_landing import tables
from landyard_pictures.settings import KINDS
from landyard_pictures.tables import DETAIL, PICTURE
from landyard_pictures.variants import MENTION, variant_address, variant_name

# This matches the HTML of the sanitising policy: `>` and `"` in values are always references.
_IMAGE = re.compile(r'<picture[ >].*?</picture>|<img((?: [^\s=>]+(?:="[^"]*")?)*)>', re.DOTALL)
_INSIDE = re.compile(r'<img((?: [^\s=>]+(?:="[^"]*")?)*)>')
_ATTRIBUTE = re.compile(r' ([^\s=>]+)(?:="([^"]*)")?')

_BEHIND = re.compile(r"""<[a-z0-9]+ [^>]*?style="[^"]*url\([^"]*"[^>]*>""")
_STYLE = re.compile(r' style="([^"]*)"')
# A background with one picture only; with more the right replacement is unknown.
_QUOTE = "(?:'|&#39;|&quot;)?"
_GROUND = re.compile(
    rf"(?:^|;)\s*background-image:\s*url\({_QUOTE}([^'&()\s]*){_QUOTE}\)\s*(?:;|$)"
)
_WIDE = 1600  # pixels of a background: `image-set` has one width for all screens
_FACTS = Prepared(
    select(
        *(tables.FILE.key, PICTURE.width, PICTURE.height, PICTURE.variants),
        *(DETAIL.alt, DETAIL.focus_x, DETAIL.focus_y),
    )
    .join(PICTURE.key.table, PICTURE.key == tables.FILE.key, isouter=True)
    .join(DETAIL.key.table, DETAIL.key == tables.FILE.key, isouter=True)
    .where(one_of(tables.FILE.key, "keys"))
)


class PictureFacts(Struct, frozen=True):
    """A picture's size, 0 if unknown, its variants, alternative text and focus.

    `variants` are widths and addresses by kind; `focus` is a CSS position, or "".
    """

    width: int
    height: int
    variants: Mapping[str, Sequence[tuple[int, str]]]
    alt: str = ""
    focus: str = ""


def write_pictures(
    host: Host, connection: Connection, _page_id: int, blocks: tuple[str, ...]
) -> tuple[str, ...]:
    """Return blocks with completed pictures; those of the first block are not loaded lazily."""
    affected = [block for block in blocks if "<img" in block or "url(" in block]
    if not affected:
        return blocks
    keys = {key for block in affected if "/files/" in block for key, _ in MENTION.findall(block)}
    facts = _read_facts(host, connection, keys) if keys else {}
    return tuple(
        with_variants(block, facts, lazy=number > 0) if block in affected else block
        for number, block in enumerate(blocks)
    )


def _read_facts(host: Host, connection: Connection, keys: set[str]) -> Mapping[str, PictureFacts]:
    """Return the stored facts about pictures; variants without a file are left out."""
    store = files.file_store(host)
    facts: dict[str, PictureFacts] = {}
    for key, width, height, variants, alt, left, top in _FACTS.all(connection, keys=list(keys)):
        by_kind: dict[str, list[tuple[int, str]]] = {}
        for each, kind in variants or ():
            name = variant_name(each, kind)
            if store.has(key, name):
                by_kind.setdefault(kind, []).append((each, variant_address(key, name)))
        focus = "" if left is None else f"{left}% {top}%"
        facts[key] = PictureFacts(width or 0, height or 0, by_kind, alt or "", focus)
    return facts


def with_variants(block: str, facts: Mapping[str, PictureFacts], *, lazy: bool) -> str:
    """Return a block with completed pictures; `lazy` ones load when they come into view."""

    def write(match: re.Match[str]) -> str:
        if match[1] is None:  # the picture has variants of its own
            return _INSIDE.sub(lambda each: _image(each[1], facts, lazy=lazy)[0], match[0])
        image, sources = _image(match[1], facts, lazy=lazy)
        # `display:contents` keeps the element out of the layout, so the image keeps its place.
        return f'<picture style="display:contents">{sources}{image}</picture>' if sources else image

    completed = _IMAGE.sub(write, block) if "<img" in block else block
    if facts and "url(" in completed:
        completed = _BEHIND.sub(lambda found: _background(found[0], facts), completed)
    return completed


def _background(tag: str, facts: Mapping[str, PictureFacts]) -> str:
    """Return an element whose background has its variants and its picture's focus.

    The focus is the picture's, unless the element sets its own position.
    """
    attributes = dict(_ATTRIBUTE.findall(tag))
    style = attributes["style"]
    mention = MENTION.search(style)
    picture = facts.get(mention[1]) if mention else None
    if picture is None:
        return tag
    chosen = attributes.get("data-focus", "middle") != "middle" or "background-position" in style
    more = "" if chosen or not picture.focus else f";background-position:{picture.focus}"
    alone = _GROUND.search(style)
    if alone and style.count("url(") == 1 and MENTION.fullmatch(alone[1]):
        more += _grounds(picture, alone[1])
    if not more:
        return tag
    return tag.replace(f' style="{style}"', f' style="{style.rstrip("; ")}{more}"')


def _grounds(picture: PictureFacts, source: str) -> str:
    """Return the variants of a background as CSS; a browser uses the first kind it supports."""
    offered = [
        f"url('{_widest(picture.variants[kind])}') type('image/{KINDS[kind]}')"
        for kind in ("AVIF", "WEBP")
        if kind in picture.variants
    ]
    every = ",".join([*offered, f"url('{source}')"])
    return f";background-image:image-set({every})" * bool(offered)


def _widest(variants: Sequence[tuple[int, str]]) -> str:
    """Return the narrowest variant that is wide enough, else the widest."""
    return min(variants, key=lambda each: (each[0] < _WIDE, abs(each[0] - _WIDE)))[1]


def _with(style: str, name: str, value: str) -> str:
    before = style.rstrip("; ")
    return f"{before};{name}:{value}" if before else f"{name}:{value}"


def _image(written: str, facts: Mapping[str, PictureFacts], *, lazy: bool) -> tuple[str, str]:
    """Return an image with missing attributes added, and the sources of its variants."""
    attributes = {name.lower(): unescape(value) for name, value in _ATTRIBUTE.findall(written)}
    more = ""
    mention = MENTION.fullmatch(attributes.get("src", ""))
    picture = facts.get(mention[1]) if mention else None
    if picture and picture.alt and not attributes.get("alt"):
        written = re.sub(r' alt(?:="")?(?= |$)', "", written)
        more += f' alt="{escape(picture.alt)}"'
    style = attributes.get("style", "")
    if picture and picture.focus and "object-position" not in style:
        style = _with(style, "object-position", picture.focus)
    if picture and picture.width and not attributes.keys() & {"width", "height"}:
        more += f' width="{picture.width}" height="{picture.height}"'
        attributes |= {"width": str(picture.width), "height": str(picture.height)}
    if lazy and "loading" not in attributes:
        more += ' loading="lazy"'
        attributes["loading"] = "lazy"
    sources = ""
    if picture and picture.variants and "srcset" not in attributes:
        if "sizes" not in attributes and _measures_itself(attributes):
            attributes["sizes"] = "auto, 100vw"
            more += ' sizes="auto, 100vw"'
        sizes = escape(attributes.get("sizes") or "100vw")
        sources = "".join(
            f'<source type="image/{KINDS[kind]}" srcset="{_srcset(picture.variants[kind])}"'
            f' sizes="{sizes}">'
            for kind in ("AVIF", "WEBP")
            if kind in picture.variants
        )
    # With `sizes="auto"` a browser ignores the picture's size: it would be 300 pixels wide wherever
    # a style sheet does not set the width.
    is_auto = attributes.get("sizes", "").strip().lower().startswith("auto")
    if picture and picture.width and is_auto and "contain-intrinsic" not in style:
        size = f"{picture.width}px {picture.height}px"
        style = _with(style, "contain-intrinsic-size", size)
    if style != attributes.get("style", ""):
        written = _STYLE.sub("", written)
        more += f' style="{escape(style)}"'
    return f"<img{written}{more}>", sources


def _measures_itself(attributes: Mapping[str, str]) -> bool:
    """Tell whether a browser may choose a variant by the picture's width in the page.

    This works for lazily loaded pictures whose width and height are known.
    """
    return attributes.get("loading") == "lazy" and attributes.keys() >= {"width", "height"}


def _srcset(variants: Sequence[tuple[int, str]]) -> str:
    return ", ".join(f"{address} {width}w" for width, address in sorted(variants))

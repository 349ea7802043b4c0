"""Writes the pictures of a page for visitors: their sizes, their variants, and when they load."""

import re
from collections.abc import Mapping, Sequence
from html import escape, unescape

from msgspec import Struct
from sqlalchemy import Connection, select

from landyard import Host, Prepared, one_of
from landyard_landing import FILE, file_store
from landyard_pictures.making import MENTION, variant_address, variant_name
from landyard_pictures.settings import KINDS
from landyard_pictures.tables import PICTURE, TOLD

# As the sanitising policy writes HTML: `>` and `"` in values are always references.
_IMAGE = re.compile(r'<picture[ >].*?</picture>|<img((?: [^\s=>]+(?:="[^"]*")?)*)>', re.DOTALL)
_INSIDE = re.compile(r'<img((?: [^\s=>]+(?:="[^"]*")?)*)>')
_ATTRIBUTE = re.compile(r' ([^\s=>]+)(?:="([^"]*)")?')

_BEHIND = re.compile(r"""<[a-z0-9]+ [^>]*?style="[^"]*url\([^"]*"[^>]*>""")
_STYLE = re.compile(r' style="([^"]*)"')
# One picture and nothing besides: where there is more, it is not known what goes in its place.
_QUOTE = "(?:'|&#39;|&quot;)?"
_GROUND = re.compile(
    rf"(?:^|;)\s*background-image:\s*url\({_QUOTE}([^'&()\s]*){_QUOTE}\)\s*(?:;|$)"
)
_WIDE = 1600  # pixels of a background: `image-set` asks for one width, whatever the screen's
_KNOWN = Prepared(
    select(
        *(FILE.key, PICTURE.width, PICTURE.height, PICTURE.variants),
        *(TOLD.alt, TOLD.focus_x, TOLD.focus_y),
    )
    .join(PICTURE.key.table, PICTURE.key == FILE.key, isouter=True)
    .join(TOLD.key.table, TOLD.key == FILE.key, isouter=True)
    .where(one_of(FILE.key, "keys"))
)


class Known(Struct, frozen=True):
    """A picture's size, 0 where it is not known, and what people say of it.

    `variants` are widths and addresses by kind; `focus` is a CSS position, "" for none.
    """

    width: int
    height: int
    variants: Mapping[str, Sequence[tuple[int, str]]]
    alt: str = ""
    focus: str = ""


def write_pictures(
    host: Host, connection: Connection, _page_id: int, blocks: tuple[str, ...]
) -> tuple[str, ...]:
    """Write the pictures of a page's blocks; those of the first one are loaded at once."""
    shown = [block for block in blocks if "<img" in block or "url(" in block]
    if not shown:
        return blocks
    keys = {key for block in shown if "/files/" in block for key, _ in MENTION.findall(block)}
    known = _known(host, connection, keys) if keys else {}
    return tuple(
        with_variants(block, known, lazy=number > 0) if block in shown else block
        for number, block in enumerate(blocks)
    )


def _known(host: Host, connection: Connection, keys: set[str]) -> Mapping[str, Known]:
    """Read what is known of pictures; a variant that is not there is left out."""
    store = file_store(host.settings)
    found: dict[str, Known] = {}
    for key, width, height, variants, alt, left, top in _KNOWN.all(connection, keys=list(keys)):
        by_kind: dict[str, list[tuple[int, str]]] = {}
        for each, kind in variants or ():
            name = variant_name(each, kind)
            path = store.path(key, name)
            if path is not None and path.is_file():
                by_kind.setdefault(kind, []).append((each, variant_address(key, name)))
        focus = "" if left is None else f"{left}% {top}%"
        found[key] = Known(width or 0, height or 0, by_kind, alt or "", focus)
    return found


def with_variants(block: str, known: Mapping[str, Known], *, lazy: bool) -> str:
    """Write the pictures of one block; those that are `lazy` load when they come into view."""

    def write(found: re.Match[str]) -> str:
        if found[1] is None:  # it has variants of its own
            return _INSIDE.sub(lambda each: _image(each[1], known, lazy=lazy)[0], found[0])
        image, sources = _image(found[1], known, lazy=lazy)
        # It takes no part in the layout: the picture stands where it stood without it.
        return f'<picture style="display:contents">{sources}{image}</picture>' if sources else image

    written = _IMAGE.sub(write, block) if "<img" in block else block
    if known and "url(" in written:
        written = _BEHIND.sub(lambda found: _background(found[0], known), written)
    return written


def _background(tag: str, known: Mapping[str, Known]) -> str:
    """Write an element with a background: its variants, and where its picture is held.

    The picture says that, unless the element says so itself.
    """
    given = dict(_ATTRIBUTE.findall(tag))
    style = given["style"]
    mention = MENTION.search(style)
    picture = known.get(mention[1]) if mention else None
    if picture is None:
        return tag
    chosen = given.get("data-focus", "middle") != "middle" or "background-position" in style
    more = "" if chosen or not picture.focus else f";background-position:{picture.focus}"
    alone = _GROUND.search(style)
    if alone and style.count("url(") == 1 and MENTION.fullmatch(alone[1]):
        more += _grounds(picture, alone[1])
    if not more:
        return tag
    return tag.replace(f' style="{style}"', f' style="{style.rstrip("; ")}{more}"')


def _grounds(picture: Known, source: str) -> str:
    """Write the variants of a background; a browser takes the first of a kind that it knows."""
    offered = [
        f"url('{_widest(picture.variants[kind])}') type('image/{KINDS[kind]}')"
        for kind in ("AVIF", "WEBP")
        if kind in picture.variants
    ]
    every = ",".join([*offered, f"url('{source}')"])
    return f";background-image:image-set({every})" * bool(offered)


def _widest(variants: Sequence[tuple[int, str]]) -> str:
    """Find the narrowest of the variants that are wide enough, else the widest."""
    return min(variants, key=lambda each: (each[0] < _WIDE, abs(each[0] - _WIDE)))[1]


def _with(style: str, name: str, value: str) -> str:
    before = style.rstrip("; ")
    return f"{before};{name}:{value}" if before else f"{name}:{value}"


def _image(written: str, known: Mapping[str, Known], *, lazy: bool) -> tuple[str, str]:
    """Write an image with what it lacks, and the sources of its variants."""
    given = {name.lower(): unescape(value) for name, value in _ATTRIBUTE.findall(written)}
    more = ""
    mention = MENTION.fullmatch(given.get("src", ""))
    picture = known.get(mention[1]) if mention else None
    if picture and picture.alt and not given.get("alt"):
        written = re.sub(r' alt(?:="")?(?= |$)', "", written)
        more += f' alt="{escape(picture.alt)}"'
    style = given.get("style", "")
    if picture and picture.focus and "object-position" not in style:
        style = _with(style, "object-position", picture.focus)
    if picture and picture.width and not given.keys() & {"width", "height"}:
        more += f' width="{picture.width}" height="{picture.height}"'
        given |= {"width": str(picture.width), "height": str(picture.height)}
    if lazy and "loading" not in given:
        more += ' loading="lazy"'
        given["loading"] = "lazy"
    sources = ""
    if picture and picture.variants and "srcset" not in given:
        if "sizes" not in given and _measures_itself(given):
            given["sizes"] = "auto, 100vw"
            more += ' sizes="auto, 100vw"'
        sizes = escape(given.get("sizes") or "100vw")
        sources = "".join(
            f'<source type="image/{KINDS[kind]}" srcset="{_srcset(picture.variants[kind])}"'
            f' sizes="{sizes}">'
            for kind in ("AVIF", "WEBP")
            if kind in picture.variants
        )
    # Of a picture that chooses by its own width a browser forgets the size: it would be 300 pixels
    # wide wherever a style sheet leaves the width to the picture.
    is_auto = given.get("sizes", "").strip().lower().startswith("auto")
    if picture and picture.width and is_auto and "contain-intrinsic" not in style:
        size = f"{picture.width}px {picture.height}px"
        style = _with(style, "contain-intrinsic-size", size)
    if style != given.get("style", ""):
        written = _STYLE.sub("", written)
        more += f' style="{escape(style)}"'
    return f"<img{written}{more}>", sources


def _measures_itself(given: Mapping[str, str]) -> bool:
    """Tell whether a browser may choose a variant by the width that the picture has in the page.

    It does so for what loads late. Without both sides it would not know the picture's shape.
    """
    return given.get("loading") == "lazy" and given.keys() >= {"width", "height"}


def _srcset(variants: Sequence[tuple[int, str]]) -> str:
    return ", ".join(f"{address} {width}w" for width, address in sorted(variants))

"""Attacks through attributes, page fields, menus and file names (`payloads` has those in nodes).

An attack that runs reports itself, as a payload does: it calls the visitor's `ran(number)`, or
requests an address at `evil.example` that ends with the number. `careless` is the page of a service
that writes values unescaped.
"""

from collections.abc import Mapping
from itertools import count
from typing import Any

from corpora import read_data
from msgspec import Struct

DECLARING, BARE = "hostile.declaring", "hostile.bare"
ELEMENTS = read_data(__file__, "ELEMENTS", dict[str, str])
_NUMBERS = count(1)  # 0 marks a value that is no attack of the list


class Attack(Struct, frozen=True):
    """One hostile value; `key` is a selector, or the name of a field."""

    number: int
    key: str
    value: Any
    careless: str

    @property
    def name(self) -> str:
        return f"{self.number}-{self.key.lstrip('.')}"


def _written(value: Any, number: int) -> Any:
    """Fill in the code with which the attack reports itself."""
    if isinstance(value, Mapping):
        return {_written(key, number): _written(item, number) for key, item in value.items()}
    if isinstance(value, list):
        return [_written(item, number) for item in value]
    if not isinstance(value, str):
        return value
    text = value.replace("RUN", "(ran(NUMBER),alert(NUMBER))")
    return text.replace("EVIL", "https://evil.example/NUMBER").replace("NUMBER", str(number))


def _attribute(selector: str, sent: dict[str, Any]) -> Attack:
    number = next(_NUMBERS)
    sent = _written(sent, number)
    drawn = " ".join(f'{name}="{value}"' for name, value in sent.items())
    # Of two equal attributes the first counts, so the element's own one is renamed.
    element = ELEMENTS[selector].replace('href="#" ', "").format(drawn)
    return Attack(number, selector, sent, element)


_SENT = read_data(__file__, "SENT", list[tuple[str, dict[str, Any]]])
ATTRIBUTES = [_attribute(selector, sent) for selector, sent in _SENT]
_DECLARED = [
    {"attribute": name} for name in sorted({name for it in ATTRIBUTES for name in it.value})
]
_BLOCK = {
    "name": "Attributes",
    "content": '<section class="landing-block">'
    + "".join(each.format("") for each in ELEMENTS.values())
    + "</section>",
}
_NODES = {selector: {"type": "text"} for selector in ELEMENTS}
# One block declares every attribute an attacker may want, the other none; the rules decide for both
# (B12).
MANIFESTS = read_data(__file__, "MANIFESTS", list[dict[str, Any]])

# Every way to break out of an element and of an attribute, one after another.
_BREAKOUT = (
    "</title></head><script>RUN</script>\"><script>RUN</script>'><img src=/assets/none onerror=RUN>"
    '--></style></textarea><svg onload=RUN></svg>" http-equiv="refresh" content="0;url=EVIL'
)
_IN_ELEMENT = "<title>{}</title>"
_IN_ATTRIBUTE = '<meta name="x" content="{}">'
_RAW = "<body>{}</body>"


def _field(name: str, careless: str, text: str = _BREAKOUT) -> Attack:
    number = next(_NUMBERS)
    value = _written(text, number)
    return Attack(number, name, value, careless.format(value))


FIELDS = [_field("TITLE", _IN_ELEMENT), _field("DESCRIPTION", _IN_ATTRIBUTE)]
ADDITIONAL = [
    _field("METAMAIN_TITLE", _IN_ELEMENT),
    *(
        _field(name, _IN_ATTRIBUTE)
        for name in (
            *("METAMAIN_DESCRIPTION", "METAMAIN_KEYWORDS", "METAROBOTS_INDEX"),
            *("METAOG_TITLE", "METAOG_DESCRIPTION", "METAOG_IMAGE"),
        )
    ),
    # On other platforms these fields put code into the page.
    *(
        _field(name, _RAW, "<script>RUN</script><link rel=stylesheet href=EVIL>")
        for name in ("HEADBLOCK_CODE", "CSSBLOCK_CODE", "THEME_CODE", "BACKGROUND_PICTURE")
    ),
    _field('"><script>RUN</script>', _RAW, "<script>RUN</script>"),
]
SWITCHES = {"HEADBLOCK_USE": "Y", "CSSBLOCK_USE": "Y", "METAMAIN_USE": "Y", "BACKGROUND_USE": "Y"}

MADE = [_field("TITLE", _IN_ELEMENT), _field("DESCRIPTION", _IN_ATTRIBUTE)]
"""Fields of `addByTemplate`; the first is also the text of a menu's link."""

_CODE = '"><img src=x onerror=RUN><i x="'
CODES = [_field(name, '<link rel="canonical" href="{}">', _CODE) for name in ("sent", "template")]
"""A page's code in `update`, and the `CODE` of a template: parts of addresses."""


def _item(item: dict[str, Any]) -> Attack:
    number = next(_NUMBERS)
    item = _written({"text": "go", "href": "#", "target": "", **item}, number)
    link = '<ul><li><a href="{href}" target="{target}">{text}</a></li></ul>'
    return Attack(number, "menu", item, link.format(**item))


MENU = [_item(item) for item in read_data(__file__, "MENU", list[dict[str, str]])]


def _file(name: str) -> Attack:
    number = next(_NUMBERS)
    name = _written(name, number)
    return Attack(number, "file", name, f'<img src="/assets/{name}" alt="{name}">')


FILES = [_file(name) for name in read_data(__file__, "FILES", list[str])]
ATTACKS = [*ATTRIBUTES, *FIELDS, *ADDITIONAL, *MADE, *CODES, *MENU, *FILES]

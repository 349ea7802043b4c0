"""The definition of a form: its fields and texts, read from its block's HTML."""

import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from turbohtml import Element

CODE = "forms.form"
SHEET = ".landing-block-node-form"
LONGEST = {
    "text": 200,
    "mail": 254,
    "phone": 40,
    "choice": 200,
    "date": 10,
    "long": 5000,
    "file": 200,
}
"""The types of fields, with the most characters of each value, or of a file's name."""
OURS = frozenset({"homepage", "consent", "again"})
"""Names in a sent form that are not fields."""

_MOST = 50  # fields
_MOST_OPTIONS = 100
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_PATH = re.compile(r"/(?![/\\])[!-~]*")


class Field(Struct, frozen=True):
    """A field; `options` are the options of a choice, or the accepted kinds of files."""

    name: str
    label: str
    type: str
    required: bool
    hint: str = ""
    options: tuple[str, ...] = ()


class Form(Struct, frozen=True):
    """A form: its fields, and its own texts; texts that it does not define are empty.

    `consent` and `thanks` are HTML. `next` is the path of the page shown after sending, or "".
    """

    fields: tuple[Field, ...]
    consent: str
    agreed: str
    button: str
    thanks: str
    next: str

    @property
    def names(self) -> frozenset[str]:
        """The names of the fields."""
        return frozenset(field.name for field in self.fields)

    @property
    def has_files(self) -> bool:
        """Whether a field asks for a file."""
        return any(field.type == "file" for field in self.fields)


def read_form(content: str) -> Form | None:
    """Return the form in a block's HTML; None if it has none."""
    from turbohtml import parse_fragment  # imported late: only forms need the parser

    sheet = parse_fragment(content).select_one(SHEET)
    return None if sheet is None else form_of(sheet)


def name_of(content: str) -> str:
    """Return the name of a form: the title of its block, else its name for screen readers."""
    from turbohtml import parse_fragment

    block = parse_fragment(content)
    sheet = block.select_one(SHEET)
    label = "" if sheet is None else _attribute(sheet, "aria-label")
    return (_text(block.select_one(".landing-block-node-title")) or label)[:200]


def form_of(sheet: "Element") -> Form:
    """Return the form defined by an element."""
    fields: list[Field] = []
    for card in sheet.select(".landing-block-card")[:_MOST]:
        names = {each.name for each in fields} | OURS
        fields.append(_field(card, len(fields) + 1, names))
    consent = sheet.select_one(".landing-block-node-consent")
    thanks = sheet.select_one(".landing-block-node-thanks")
    following = _attribute(sheet, "data-next")
    agreed = _text(consent)
    return Form(
        tuple(fields),
        consent.inner_html if consent is not None and agreed else "",
        agreed,
        _text(sheet.select_one(".landing-block-node-button")),
        thanks.inner_html if thanks is not None and _text(thanks) else "",
        following if _PATH.fullmatch(following) else "",
    )


def _field(card: "Element", number: int, names: set[str]) -> Field:
    name = _attribute(card, "data-name")
    if not _NAME.fullmatch(name) or name in names:
        name = f"field-{number}"  # names given by editors have no dash
    kind = _attribute(card, "data-type")
    options = (each.strip() for each in _attribute(card, "data-options").split(";"))
    longest = LONGEST["choice"]
    return Field(
        name,
        _text(card.select_one(".landing-block-node-card-title"))[:200] or f"Field {number}",
        kind if kind in LONGEST else "text",
        required=_attribute(card, "data-required") == "Y",
        hint=_text(card.select_one(".landing-block-node-card-text"))[:500],
        options=tuple(dict.fromkeys(each[:longest] for each in options if each))[:_MOST_OPTIONS],
    )


def _text(element: "Element | None") -> str:
    return "" if element is None else " ".join(element.text.split())


def _attribute(element: "Element", name: str) -> str:
    value = element.attr(name)
    return value.strip() if isinstance(value, str) else ""

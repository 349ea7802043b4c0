"""Answers: what a visitor has sent, read field by field and checked."""

import re
from collections.abc import Mapping
from datetime import date
from urllib.parse import parse_qsl

from msgspec import Struct

from landyard_forms.fields import LONGEST, OURS, Field, Form

_MOST = 200  # names in what is sent
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_MAIL = re.compile(
    r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+[^\W\d_][\w-]{1,62}"
)
_PHONE = re.compile(r"\+?[(0-9][0-9 ()./-]*")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S*", re.IGNORECASE)
_FEW = 20  # letters that two may write by chance
_LINK = re.compile(r"https?://|www\.|\[url|<a\s", re.IGNORECASE)


class Answer(Struct, frozen=True):
    """What was filled into a field, with the label that it had then."""

    name: str
    label: str
    value: str


class Sent(Struct, frozen=True):
    """What was sent: `values` by the names of fields, `wrong` with what is said of each.

    Under the name "" is what is said of all of it.
    """

    values: Mapping[str, str]
    wrong: Mapping[str, str]
    consent: bool = False
    homepage: str = ""
    again: str = ""

    @property
    def links(self) -> int:
        """How many links are in it."""
        return sum(len(_LINK.findall(value)) for value in self.values.values())

    def prose(self, form: Form) -> str:
        """Return the letters of what is written at length, without links; nothing where few are.

        Two people choose the same, and may have one name; they do not write the same.
        """
        long = (self.values[field.name] for field in form.fields if field.type == "long")
        letters = "".join(each for each in _ADDRESS.sub("", " ".join(long)) if each.isalpha())
        return letters.lower() if len(letters) >= _FEW else ""

    def answers(self, form: Form) -> list[Answer]:
        """Return what was filled in, in the order of the form's fields."""
        found = ((field, self.values.get(field.name, "")) for field in form.fields)
        return [Answer(field.name, field.label, value) for field, value in found if value]


def read_sent(form: Form, body: bytes) -> Sent:
    """Read the body of a form that was sent; whatever it holds, it is read."""
    try:
        pairs = parse_qsl(
            body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_MOST
        )
    except ValueError:
        return Sent({}, {"": "That was more than this form asks for."})
    given = dict(pairs)
    values = {field.name: _clean(field, given.get(field.name, "")) for field in form.fields}
    wrong = {
        field.name: told for field in form.fields if (told := _wrong(field, values[field.name]))
    }
    if given.keys() - form.names - OURS:
        wrong[""] = "This form has changed meanwhile. Please look at it again, and send it."
    if form.consent and given.get("consent") != "Y":
        wrong["consent"] = "Please agree, or it cannot be sent."
    return Sent(
        values,
        wrong,
        consent=given.get("consent") == "Y",
        homepage=given.get("homepage", ""),
        again=given.get("again", ""),
    )


def is_mail(text: str) -> bool:
    """Tell whether it is one mail address, and nothing else."""
    return len(text) <= LONGEST["mail"] and bool(_MAIL.fullmatch(text))


def _clean(field: Field, value: str) -> str:
    value = _CONTROLS.sub("", value.replace("\r\n", "\n").replace("\r", "\n"))
    # One character more than it may have: that it is too long is still seen.
    value = (value if field.type == "long" else " ".join(value.split())).strip()
    return value[: LONGEST[field.type] + 1]


def _wrong(field: Field, value: str) -> str:
    """Say what is wrong with a value; nothing where it is right."""
    if not value:
        return "Please fill this in." if field.required else ""
    if len(value) > LONGEST[field.type]:
        return f"Please write at most {LONGEST[field.type]} characters."
    told = ""
    match field.type:
        case "mail" if not is_mail(value):
            told = "Please write a mail address, such as ann@example.org."
        case "phone" if not _is_phone(value):
            told = "Please write a telephone number, such as +44 1632 960100."
        case "date" if not _is_day(value):
            told = "Please write a day as year-month-day, such as 2027-05-01."
        case "choice" if value not in field.options:
            told = "Please choose one of these."
    return told


def _is_phone(value: str) -> bool:
    digits = sum(each.isdecimal() for each in value)
    return bool(_PHONE.fullmatch(value)) and 4 <= digits <= 20


def _is_day(value: str) -> bool:
    try:
        return bool(_DAY.fullmatch(value)) and bool(date.fromisoformat(value))
    except ValueError:
        return False

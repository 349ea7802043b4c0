"""Answers: what a visitor has sent, read field by field and checked."""

import re
from collections.abc import Mapping

from msgspec import Struct

from landyard_forms.bodies import Body, SentFile, read_body
from landyard_forms.fields import LONGEST, OURS, Field, Form
from landyard_forms.typed import clean, is_day, is_mail, is_phone
from landyard_forms.words import Words

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S*", re.IGNORECASE)
_FEW = 20  # letters that two may write by chance
_LINK = re.compile(r"https?://|www\.|\[url|<a\s", re.IGNORECASE)


class Answer(Struct, frozen=True, omit_defaults=True):
    """What was filled into a field, with the label that it had then.

    Of a file `value` is its name, and `size` its bytes.
    """

    name: str
    label: str
    value: str
    size: int = 0


class Sent(Struct, frozen=True):
    """What was sent: `values` by the names of fields, `wrong` with what is said of each.

    Under the name "" is what is said of all of it. The value of a file's field is the file's name.
    """

    values: Mapping[str, str]
    wrong: Mapping[str, str]
    files: Mapping[str, SentFile] = {}
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
        filled = (field for field in form.fields if self.values.get(field.name))
        return [Answer(it.name, it.label, self.values[it.name], self._size(it)) for it in filled]

    def _size(self, field: Field) -> int:
        return len(self.files[field.name].content) if field.name in self.files else 0


def read_sent(form: Form, raw: bytes, kind: str, words: Words) -> Sent:
    """Read the body of a form that was sent, of a media type; whatever it holds, it is read."""
    try:
        body = read_body(raw, kind)
    except ValueError:
        return Sent({}, {"": words.too_many})
    given = body.texts
    asked = {field.name for field in form.fields if field.type == "file"}
    files = {name: file for name, file in body.files.items() if name in asked}
    values = {field.name: _value(field, body) for field in form.fields}
    wrong = {
        field.name: told
        for field in form.fields
        if (told := _wrong(field, values[field.name], words))
    }
    if given.keys() - form.names - OURS or body.files.keys() - asked:
        wrong[""] = words.changed
    if form.consent and given.get("consent") != "Y":
        wrong["consent"] = words.consent
    return Sent(
        values,
        wrong,
        files,
        consent=given.get("consent") == "Y",
        homepage=given.get("homepage", ""),
        again=given.get("again", ""),
    )


def _value(field: Field, body: Body) -> str:
    if field.type != "file":
        return _clean(field, body.texts.get(field.name, ""))
    file = body.files.get(field.name)
    return "" if file is None else _clean(field, file.name) or "-"


def _clean(field: Field, value: str) -> str:
    value = _CONTROLS.sub("", value.replace("\r\n", "\n").replace("\r", "\n"))
    value = clean(field.type, value)
    # One character more than it may have: that it is too long is still seen.
    value = (value if field.type == "long" else " ".join(value.split())).strip()
    return value[: LONGEST[field.type] + 1]


def _wrong(field: Field, value: str, words: Words) -> str:
    """Say what is wrong with a value; nothing where it is right."""
    if not value:
        return words.missing if field.required else ""
    if field.type != "file" and len(value) > LONGEST[field.type]:
        return words.too_long.replace("{most}", str(LONGEST[field.type]))
    told = ""
    match field.type:
        case "mail" if not is_mail(value):
            told = words.mail
        case "phone" if not is_phone(value):
            told = words.phone
        case "date" if not is_day(value):
            told = words.date
        case "choice" if value not in field.options:
            told = words.choice
    return told

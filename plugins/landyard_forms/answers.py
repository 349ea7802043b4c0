"""Reads the answers in a sent form, field by field, and validates them."""

import re
from collections.abc import Mapping

from msgspec import Struct

from landyard_forms.bodies import Body, SentFile, read_body
from landyard_forms.fields import LONGEST, OURS, Field, Form
from landyard_forms.value_formats import clean, is_day, is_mail, is_phone
from landyard_forms.words import Words

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S*", re.IGNORECASE)
_FEW = 20  # letters; two people may write so few alike by chance
_LINK = re.compile(r"https?://|www\.|\[url|<a\s", re.IGNORECASE)


class Answer(Struct, frozen=True, omit_defaults=True):
    """The answer to a field, with the field's label at that time.

    For a file `value` is its name, and `size` its bytes.
    """

    name: str
    label: str
    value: str
    size: int = 0


class Sent(Struct, frozen=True):
    """A sent form: `values` by field names, and `wrong` with an error text for each wrong field.

    The error under the name "" concerns the whole form. The value of a file's field is its name.
    """

    values: Mapping[str, str]
    wrong: Mapping[str, str]
    files: Mapping[str, SentFile] = {}
    consent: bool = False
    homepage: str = ""
    again: str = ""

    @property
    def links(self) -> int:
        """The number of links in the values."""
        return sum(len(_LINK.findall(value)) for value in self.values.values())

    def prose(self, form: Form) -> str:
        """Return the letters of the long texts, without links; "" if there are few.

        It serves to find copies: people may share choices and names, but not long texts.
        """
        long = (self.values[field.name] for field in form.fields if field.type == "long")
        letters = "".join(each for each in _ADDRESS.sub("", " ".join(long)) if each.isalpha())
        return letters.lower() if len(letters) >= _FEW else ""

    def answers(self, form: Form) -> list[Answer]:
        """Return the answers to filled fields, in the order of the form's fields."""
        filled = (field for field in form.fields if self.values.get(field.name))
        return [Answer(it.name, it.label, self.values[it.name], self._size(it)) for it in filled]

    def _size(self, field: Field) -> int:
        return len(self.files[field.name].content) if field.name in self.files else 0


def read_sent(form: Form, raw: bytes, kind: str, words: Words) -> Sent:
    """Parse the body of a sent form by its media type; errors are reported in `Sent.wrong`."""
    try:
        body = read_body(raw, kind)
    except ValueError:
        return Sent({}, {"": words.too_many})
    texts = body.texts
    file_fields = {field.name for field in form.fields if field.type == "file"}
    files = {name: file for name, file in body.files.items() if name in file_fields}
    values = {field.name: _value(field, body) for field in form.fields}
    wrong = {
        field.name: message
        for field in form.fields
        if (message := _wrong(field, values[field.name], words))
    }
    if texts.keys() - form.names - OURS or body.files.keys() - file_fields:
        wrong[""] = words.changed
    if form.consent and texts.get("consent") != "Y":
        wrong["consent"] = words.consent
    return Sent(
        values,
        wrong,
        files,
        consent=texts.get("consent") == "Y",
        homepage=texts.get("homepage", ""),
        again=texts.get("again", ""),
    )


def _value(field: Field, body: Body) -> str:
    if field.type != "file":
        return _clean(field, body.texts.get(field.name, ""))
    file = body.files.get(field.name)
    return "" if file is None else _clean(field, file.name) or "-"


def _clean(field: Field, value: str) -> str:
    value = _CONTROLS.sub("", value.replace("\r\n", "\n").replace("\r", "\n"))
    value = clean(field.type, value)
    # One character more than the limit, so that the length check still fails.
    value = (value if field.type == "long" else " ".join(value.split())).strip()
    return value[: LONGEST[field.type] + 1]


def _wrong(field: Field, value: str, words: Words) -> str:
    """Return the error text for a value; "" if it is valid."""
    if not value:
        return words.missing if field.required else ""
    if field.type != "file" and len(value) > LONGEST[field.type]:
        return words.too_long.replace("{most}", str(LONGEST[field.type]))
    message = ""
    match field.type:
        case "mail" if not is_mail(value):
            message = words.mail
        case "phone" if not is_phone(value):
            message = words.phone
        case "date" if not is_day(value):
            message = words.date
        case "choice" if value not in field.options:
            message = words.choice
    return message

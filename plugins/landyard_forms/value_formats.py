"""Cleaning and validation of telephone numbers, mail addresses and dates.

Invisible characters are removed. Digits of every script become ASCII digits, and dashes of every
kind become hyphens. The rest stays as the visitor wrote it.
"""

import re
import unicodedata
from datetime import date

from landyard import plain_digits, spelt
from landyard_forms.headers import is_decoded

_FEWEST = 4  # digits of a telephone number
_WORDS = (
    r"ext|extn|extension|x|xtn|int|interno|anexo|ramal|poste|app|apparat|nebenstelle|dw|durchwahl"
    r"|toestel|linka|klapka|wew|wewn|mellék|dahili|доб|доп|добавочный|вн|внутр"
    r"|تحويلة|تحويله|داخلي|داخلية|שלוחה|內線|内線|分机|分機|내선"
)
_PHONE = re.compile(
    r"(?:tel\.?:? ?)?(?P<number>[+(\[ ]*[0-9][0-9 ()\[\]./~·•-]*?)"
    rf"(?:[ ,;]*\(?(?:#|(?:{_WORDS})[.:=]{{0,2}}) ?(?P<extension>[0-9]{{1,7}})\)?)?",
    re.IGNORECASE,
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ANYWHERE = (
    "US"  # for a number without a country code only its length is checked, equally in all regions
)


def clean(kind: str, text: str) -> str:
    """Return a value of a field type in its plain form; values of other types are unchanged."""
    if kind == "mail":
        return _bare(unicodedata.normalize("NFKC", spelt(text)).strip())
    if kind in {"phone", "date"}:
        return plain_digits(text).strip()
    return text


def is_mail(text: str) -> bool:
    """Tell whether a text is a mail address that no mail program decodes to another."""
    from email_validator import (
        EmailNotValidError,
        validate_email,
    )  # imported late: few forms need it

    try:
        validate_email(text, check_deliverability=False)
    except EmailNotValidError:
        return False
    return not is_decoded(text)


def is_phone(text: str) -> bool:
    """Tell whether a text may be a telephone number, with or without an extension.

    A number with a country code must have a length that is possible in that country.
    """
    from phonenumbers import (
        NumberParseException,
        is_possible_number,
        parse,
    )  # imported late: it takes 7 MB

    match = _PHONE.fullmatch(text)
    if match is None or sum(each.isdecimal() for each in match["number"]) < _FEWEST:
        return False
    whole = match["number"].lstrip(" ([").startswith("+")
    try:
        number = parse(match["number"], None if whole else _ANYWHERE)
    except NumberParseException:
        return False
    return not whole or is_possible_number(number)


def is_day(text: str) -> bool:
    """Tell whether a text is a calendar date such as `2027-05-01`."""
    try:
        return bool(_DAY.fullmatch(text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _bare(address: str) -> str:
    """Remove `mailto:` and angle brackets around an address."""
    address = re.sub(r"^mailto:", "", address, flags=re.IGNORECASE)
    return address[1:-1].strip() if address[:1] == "<" and address[-1:] == ">" else address

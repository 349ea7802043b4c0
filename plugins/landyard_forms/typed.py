"""Typed values: telephone numbers, mail addresses and days, in the ways in which people write them.

Signs that are not seen are taken out. Digits of every script become those of ASCII, and dashes of
every kind become the plain one. The rest stays as the visitor wrote it.
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
_ANYWHERE = "US"  # a number without a country is counted only; each region lets as many digits in


def clean(kind: str, text: str) -> str:
    """Write a value of a type of field in its plain form; other types stay as they are."""
    if kind == "mail":
        return _bare(unicodedata.normalize("NFKC", spelt(text)).strip())
    if kind in {"phone", "date"}:
        return plain_digits(text).strip()
    return text


def is_mail(text: str) -> bool:
    """Tell whether it is one mail address, which no mail program decodes into another."""
    from email_validator import EmailNotValidError, validate_email  # few fields ask for one

    try:
        validate_email(text, check_deliverability=False)
    except EmailNotValidError:
        return False
    return not is_decoded(text)


def is_phone(text: str) -> bool:
    """Tell whether it may be a telephone number, with an extension or without.

    One with a country's code has as many digits as numbers of that country.
    """
    from phonenumbers import NumberParseException, is_possible_number, parse  # 7 MB

    found = _PHONE.fullmatch(text)
    if found is None or sum(each.isdecimal() for each in found["number"]) < _FEWEST:
        return False
    whole = found["number"].lstrip(" ([").startswith("+")
    try:
        number = parse(found["number"], None if whole else _ANYWHERE)
    except NumberParseException:
        return False
    return not whole or is_possible_number(number)


def is_day(text: str) -> bool:
    """Tell whether it is a day of the calendar, as `2027-05-01`."""
    try:
        return bool(_DAY.fullmatch(text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _bare(address: str) -> str:
    """Take away what is around an address that was copied from a link or a mail."""
    address = re.sub(r"^mailto:", "", address, flags=re.IGNORECASE)
    return address[1:-1].strip() if address[:1] == "<" and address[-1:] == ">" else address

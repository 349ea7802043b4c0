"""Reads a price, an amount with its currency, from a text in any script."""

# ruff: noqa: RUF001, RUF002 - it is about signs of many scripts

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from landyard import plain_digits
from landyard_html import words

CODES = words(
    """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN
    BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR
    FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD
    JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD
    MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP
    PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC
    SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST
    XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
    """
)
"""The codes of ISO 4217 of currencies in use."""
_SIGNS = {
    "€": "EUR",
    "£": "GBP",
    "₹": "INR",
    "₽": "RUB",
    "₴": "UAH",
    "₺": "TRY",
    "₪": "ILS",
    "₸": "KZT",
    "₩": "KRW",
    "₫": "VND",
    "฿": "THB",
    "₱": "PHP",
    "₦": "NGN",
    "₾": "GEL",
    "֏": "AMD",
    "₼": "AZN",
    "₭": "LAK",
    "៛": "KHR",
    "₮": "MNT",
    "₡": "CRC",
    "₲": "PYG",
    "₵": "GHS",
    "円": "JPY",
    "zł": "PLN",
    "Kč": "CZK",
    "Ft": "HUF",
    "грн": "UAH",
    "руб": "RUB",
    "лв": "BGN",
    "د.إ": "AED",
    "ر.س": "SAR",
    "ج.م": "EGP",
    "د.ك": "KWD",
    "ر.ق": "QAR",
    "US$": "USD",
    "CA$": "CAD",
    "C$": "CAD",
    "A$": "AUD",
    "AU$": "AUD",
    "NZ$": "NZD",
    "HK$": "HKD",
    "S$": "SGD",
    "R$": "BRL",
    "MX$": "MXN",
    "NT$": "TWD",
    "euros": "EUR",
    "euro": "EUR",
    "Euro": "EUR",
    "Euros": "EUR",
    "евро": "EUR",
}
"""The signs of a single currency; `$`, `¥` and `kr` stand for several and are left out."""
_LONGEST = 200  # characters of a text that are read
_IN_THOUSANDTHS = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
_LETTER = r"[^\W\d_]"
_WORDS = "|".join(map(re.escape, sorted(_SIGNS, key=len, reverse=True)))
_SIGN = re.compile(
    rf"[€£₹₽₴₺₪₸₩₫฿₱₦₾֏₼₭៛₮₡₲₵]|(?<!{_LETTER})円|(?<!{_LETTER})(?:{_WORDS})(?!{_LETTER})"
)
_CODE = re.compile(rf"(?<!{_LETTER})[A-Z]{{3}}(?!{_LETTER})")
# A space, an apostrophe or a mark of thousands in Arabic divides groups of three digits.
_AMOUNT = re.compile(
    r"(?<![0-9.,])[0-9]+(?:[ '\u2019\u066c][0-9]{3}(?![0-9])|[.,\u066b\u060c][0-9]+)*(?![0-9]* ?%)"
)
_BEFORE, _AFTER = re.compile(r" ?"), re.compile(r" ?(?:[.,]?-{1,2}|/-)? ?\(?")  # `120,-`
_TO = re.compile(r" ?- ?")
_SUPERSCRIPT = re.compile("(?<=[0-9])[.,]?([\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{2})")
_FRACTION = "\u2044"  # as NFKC writes what is in ½


class Price(Struct, frozen=True):
    """An amount, with a decimal point if it has decimals, and its currency's code."""

    amount: str
    currency: str


class _Mark(Struct, frozen=True):
    start: int
    end: int
    code: str


def read_price(text: str) -> Price | None:
    """Read the first price in a text; None where its amount or currency is ambiguous.

    Signs count before codes, since a word such as ALL looks like a code. `$` alone, a range, and
    two currencies apart from the amounts are no price.
    """
    plain = " ".join(plain_digits(_SUPERSCRIPT.sub(r".\1", text[:_LONGEST])).split())
    amounts = [each for each in _AMOUNT.finditer(plain) if not _is_less(plain, each.start())]
    if _FRACTION in plain or _has_range(plain, amounts):
        return None
    marks = _marks(plain, _SIGN, _SIGNS) or _marks(plain, _CODE, {code: code for code in CODES})
    for amount in amounts:
        for mark in marks:
            if _beside(plain, amount, mark):
                return _price(amount[0], mark.code)
    if len(amounts) == 1 and len({mark.code for mark in marks}) == 1:
        (amount,) = amounts
        if not plain[amount.end() : amount.end() + 1].isalpha():  # thousands, a unit
            return _price(amount[0], marks[0].code)
    return None


def _marks(plain: str, pattern: re.Pattern[str], codes: Mapping[str, str]) -> list[_Mark]:
    found = pattern.finditer(plain)
    return [_Mark(each.start(), each.end(), codes[each[0]]) for each in found if each[0] in codes]


def _beside(plain: str, amount: re.Match[str], mark: _Mark) -> bool:
    if mark.end <= amount.start():
        behind = plain[amount.end() : amount.end() + 1]
        return not behind.isalpha() and bool(_BEFORE.fullmatch(plain, mark.end, amount.start()))
    return bool(_AFTER.fullmatch(plain, amount.end(), mark.start))


def _is_less(plain: str, at: int) -> bool:
    """Tell whether a minus is in front of an amount: a reduction is no price."""
    return plain[:at].endswith("-") and (at == 1 or plain[at - 2] == " ")


def _has_range(plain: str, amounts: Sequence[re.Match[str]]) -> bool:
    between = (plain[one.end() : two.start()] for one, two in pairwise(amounts))
    return any(_TO.fullmatch(_CODE.sub("", _SIGN.sub("", each)).strip()) for each in between)


def _price(written: str, currency: str) -> Price | None:
    number = _number(written, currency)
    return Price(number, currency) if number else None


def _number(written: str, currency: str) -> str:
    """Read `1,299.00`, `1.299,00`, `1 299` and `1٬299٫00`; "" for any other text."""
    bare = re.sub(r"[\s'\u2019\u066c]", "", written).replace("\u060c", ",")
    if "\u066b" in bare:
        bare = re.sub("[.,]", "", bare).replace("\u066b", ".")
        return bare if bare.count(".") == 1 else ""
    last = max(".,", key=bare.rfind)
    whole, mark, rest = bare.rpartition(last)
    if not mark:
        return bare
    if mark in whole:  # a repeated mark divides thousands
        wrong = {".", ","} <= {*bare} or len(rest) != 3
        return "" if wrong else bare.replace(mark, "")
    is_thousand = len(rest) == 3 and whole != "0" and len(whole) <= 3
    if is_thousand and not (mark == "." and currency in _IN_THOUSANDTHS):
        return whole + rest
    return f"{re.sub('[.,]', '', whole)}.{rest}"

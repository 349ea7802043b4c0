"""Numbers, addresses and dates are read as people type, copy and paste them."""

# ruff: noqa: RUF001 - letters that look alike are what is told apart here

from urllib.parse import urlencode

from plugins.forms.site import card, form_with
from tables import for_each

from landyard_forms.answers import Sent, read_sent
from landyard_forms.fields import read_form
from landyard_forms.words import words_of

PHONES = [
    ("\u202d+44 1632 960100\u202c", "+44 1632 960100"),
    ("+44\u00a01632\u2011960100", "+44 1632-960100"),
    ("+44 1632 \u2013 960100", "+44 1632 - 960100"),
    ("+44\u200b1632\u00ad960100", "+441632960100"),
    ("\u2066+44 (0)1632 960100\u2069", "+44 (0)1632 960100"),
    ("+44 1632 960100 ext. 12", "+44 1632 960100 ext. 12"),
    ("+44 1632 960100 x12", "+44 1632 960100 x12"),
    ("+44 1632 960100, Extension 12", "+44 1632 960100, Extension 12"),
    ("+7 495 123-45-67 доб. 12", "+7 495 123-45-67 доб. 12"),
    ("030 1234567 #12", "030 1234567 #12"),
    ("+44 1632 960100 (ext. 12)", "+44 1632 960100 (ext. 12)"),
    ("+44 1632 960100;ext=12", "+44 1632 960100;ext=12"),
    ("+44 1632 960100ext.12", "+44 1632 960100ext.12"),
    ("Tel.: +44 1632 960100", "Tel.: +44 1632 960100"),
    ("٠٥٠ ١٢٣ ٤٥٦٧", "050 123 4567"),
    ("+٩٦٦ ٥٠ ١٢٣ ٤٥٦٧", "+966 50 123 4567"),
    ("۰۲۱-۱۲۳۴۵۶۷۸", "021-12345678"),
    ("०११ २३४५ ६७८९", "011 2345 6789"),
    ("+966 50 123 4567 تحويلة ١٢", "+966 50 123 4567 تحويلة 12"),
    ("\uff0b\uff14\uff14 1632 960100", "+44 1632 960100"),
    ("tel:+441632960100", "tel:+441632960100"),
    ("030/1234567", "030/1234567"),
    ("8 (800) 555-35-35", "8 (800) 555-35-35"),
]
MAILS = [
    ("\u202aann@example.org\u202c", "ann@example.org"),
    ("ann@exam\u00adple.org", "ann@example.org"),
    ("\u00a0ann@example.org\u200b", "ann@example.org"),
    ("ann\uff20example.org", "ann@example.org"),
    ("mailto:ann@example.org", "ann@example.org"),
    ("<ann@example.org>", "ann@example.org"),
    ("отправитель@пример.рф", "отправитель@пример.рф"),
    ("ju\u0308rgen@example.org", "jürgen@example.org"),
]
DAYS = [
    ("٢٠٢٧-٠٥-٠١", "2027-05-01"),
    ("۲۰۲۷\u2013۰۵\u2013۰۱", "2027-05-01"),
    ("२०२७-०५-०१", "2027-05-01"),
    ("\u200f2027\u201105\u221201", "2027-05-01"),
]
WRONG = [
    *(
        ("phone", each)
        for each in ("+44 12", "+999 1234567", "abc 12345", "12345 Main 5", "1" * 25)
    ),
    *(("phone", each) for each in ("+44 1632 960100 <b>", "+-()", "\u202d12\u202c", "1 2 3")),
    *(("mail", each) for each in ("ann", "a b@example.org", "ann..b@example.org", "ann@-x.org")),
    *(("mail", each) for each in ("=?utf-8?q?a?=@example.org", "ann@example.org, b@example.org")),
    *(("date", each) for each in ("٢٠٢٧-٠٢-٣٠", "2027-1-1", "01.05.2027")),
]


def sent_as(kind: str, typed: str) -> Sent:
    form = read_form(form_with(card(kind, "it")))
    assert form is not None
    body = urlencode({"it": typed}).encode()
    return read_sent(form, body, "application/x-www-form-urlencoded", words_of("ar"))


@for_each(
    "kind, typed, stored",
    [
        *(("phone", *each) for each in PHONES),
        *(("mail", *each) for each in MAILS),
        *(("date", *each) for each in DAYS),
    ],
)
def test_a_value_is_read_as_people_type_and_paste_it(kind: str, typed: str, stored: str) -> None:
    sent = sent_as(kind, typed)

    assert (sent.values, sent.wrong) == ({"it": stored}, {})


@for_each("kind, typed", WRONG)
def test_a_value_of_the_wrong_type_is_still_refused(kind: str, typed: str) -> None:
    sent = sent_as(kind, typed)

    assert sent.wrong == {"it": getattr(words_of("ar"), kind)}


def test_numbers_in_right_to_left_texts_are_isolated() -> None:
    words = words_of("ar")

    assert "\u2066+44 1632 960100\u2069" in words.phone
    assert "\u20662027-05-01\u2069" in words.date
    assert "\u2068{most}\u2069" in words.too_long
    assert "\u2066" not in words_of("en").phone

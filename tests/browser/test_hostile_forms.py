"""Hostile texts in every field of a form, written by its editor and by visitors."""

import itertools
from html import escape, unescape
from urllib.parse import urlsplit

import httpx
import pytest
from browser.conftest import Demo
from browser.payloads import alive, framed
from browser.visiting import Visitor
from clients.serving import load
from plugins.forms.site import card, form_with
from plugins.html.hostile_texts import OF_A_BLOCK, TEXTS

SITE = 64
MADE, FILLED = 400_000, 400_001  # far from the ids of other tests on the same service
FIRST = 410_000
TYPES = ("text", "mail", "phone", "choice", "date", "long", "file")
WRITTEN = ("long", "text", "long", "mail", "long", "phone", "long", "date")
FIELDS = 48  # fields of a filled-in form; it may have 50
# This text makes a picture of the text after it, and editors may use pictures of other hosts. They
# are lazy, so a busy browser may or may not request one.
HALF = "a half tag that swallows what follows"
# A world file contains no NUL; test_hostile_texts covers calls with one.
USED = [each for each in TEXTS if each.name not in OF_A_BLOCK and "\0" not in each.html]


def hostile(text: str) -> str:
    """A form with the text in everything that it shows, and in every attribute that it reads."""
    quoted = escape(text)
    cards = [
        f'data-type="{kind}" data-name="{quoted}" data-required="{quoted}"'
        f' data-options="{quoted};{quoted}">'
        f'<strong class="landing-block-node-card-title">{text}</strong>'
        f'<span class="landing-block-node-card-text">{text}</span>'
        for kind in (*TYPES, quoted)
    ]
    html = form_with(*cards, consent=text, following=quoted)
    for own in (">T<", ">Go<", ">Thanks, all of you.<"):
        assert own in html
        html = html.replace(own, f">{text}<")
    return html.replace('-node-form" ', f'-node-form" aria-label="{quoted}" ')


@pytest.fixture(scope="module")
def form_id(demo: Demo) -> int:
    """Two pages: one of hostile forms, and one with a form of many fields, whose id is returned."""
    copies = itertools.count(FIRST)
    bad = [hostile(each.html) for each in USED if each.name != HALF]
    kinds = itertools.islice(itertools.cycle(WRITTEN), FIELDS)
    good = form_with(*[card(kind, f"f{number}") for number, kind in enumerate(kinds)])
    pages = [
        {
            "id": page,
            "site": SITE,
            "code": code,
            "active": True,
            "published": True,
            "blocks": [
                {"code": "forms.form", "content": html, "published_id": next(copies)}
                for html in forms
            ],
        }
        for page, code, forms in [(FILLED, "filled", [good]), (MADE, "made", bad)]
    ]
    load(demo.data, {"sites": [{"id": SITE, "code": "hostile-forms"}], "pages": pages})
    return FIRST


@pytest.mark.rule("H1")
@pytest.mark.usefixtures("form_id")
def test_H1_no_text_of_a_form_runs(demo: Demo, visitor: Visitor) -> None:
    """The test provokes events while the policy stops nothing, so the HTML must be safe by
    itself.
    """
    shown = httpx.get(f"{demo.base}/hostile-forms/made/").text
    visit = visitor.visit("/hostile-forms/made/", provoke=True, loosely=True)

    assert shown.count("<form ") > len(USED) * 0.9  # some texts swallow the text after them
    assert alive(visit) == set()
    assert (visit.ran, visit.dialogs) == ([], [])
    assert "evil.example" not in {urlsplit(address).hostname for address in visit.asked}


@pytest.mark.rule("H1")
def test_H1_no_submitted_text_runs(demo: Demo, visitor: Visitor, form_id: int) -> None:
    """Each text in a text area and in another field, shown again without any policy."""
    pages = dict[int, str]()
    for number in range(0, len(USED), FIELDS // 2):
        texts = [each.html for each in USED[number : number + FIELDS // 2]]
        values = {
            f"f{2 * place + more}": text for place, text in enumerate(texts) for more in (0, 1)
        }
        answer = httpx.post(f"{demo.base}/-/forms?form={form_id}", data=values)
        assert answer.status_code == 422
        assert texts[0].replace("\r", "") in unescape(answer.text)
        pages[number] = answer.text
    visit = visitor.visit("/careless", provoke=True, raw=framed(pages))

    assert (alive(visit), visit.ran, visit.dialogs, visit.foreign) == (set(), [], [], [])

"""Hostile texts as every field of a form: of whoever makes it, and of whoever fills it in."""

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
from plugins.landing.html.hostile_texts import OF_A_BLOCK, TEXTS

SITE = 64
MADE, FILLED = 400_000, 400_001  # far from what other tests put into the same service
FIRST = 410_000
TYPES = ("text", "mail", "phone", "choice", "date", "long", "file")
WRITTEN = ("long", "text", "long", "mail", "long", "phone", "long", "date")
FIELDS = 48  # of a form that is filled in; it may have 50
# It makes a picture of what follows it, and editors may have pictures from elsewhere. Those are
# lazy: how busy the browser is decides whether it asks for one.
HALF = "a half tag that swallows what follows"
# A world file holds no NUL; what calls may send with one is in test_hostile_texts.
USED = [each for each in TEXTS if each.name not in OF_A_BLOCK and "\0" not in each.html]


def hostile(text: str) -> str:
    """A form with the text as everything that it says, and as every attribute that it reads."""
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
    """Two pages: hostile forms, and one that only has many fields, whose id is given."""
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
def test_H1_no_text_of_a_form_comes_alive(demo: Demo, visitor: Visitor) -> None:
    """Provoked, while the page's policy stops nothing: the HTML has to be safe by itself."""
    shown = httpx.get(f"{demo.base}/hostile-forms/made/").text
    visit = visitor.visit("/hostile-forms/made/", provoke=True, loosely=True)

    assert shown.count("<form ") > len(USED) * 0.9  # some texts swallow what is behind them
    assert alive(visit) == set()
    assert (visit.ran, visit.dialogs) == ([], [])
    assert "evil.example" not in {urlsplit(address).hostname for address in visit.asked}


@pytest.mark.rule("H1")
def test_H1_nothing_that_is_filled_in_comes_alive(
    demo: Demo, visitor: Visitor, form_id: int
) -> None:
    """Each text in a field of several lines and in another; shown again, with no policy at all."""
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

"""Every hostile text and value, sent by every way in and opened by a visitor (H1, H3, H4)."""

from collections.abc import Mapping
from functools import partial
from urllib.parse import urlsplit

import pytest
from browser.conftest import Demo
from browser.payloads import alive
from browser.visiting import Visitor
from browser.visits import Visit
from contract.hostile_ways import FIELDS, HOME, PAGES, make_page, send_everything, world
from contract.worlds import user
from plugins.html.hostile_texts import OF_A_BLOCK, TEXTS

from landyard.testing import WEBHOOK, Service
from landyard_content.pages.publication import publish

SENDER = 90
SHOWN = {**PAGES, **{f"fields {page}": page for page in FIELDS}}
MADE = "made of a template"
each_page = pytest.mark.parametrize("name", [*SHOWN, MADE])
# The hosts that blocks of a world file and of a template may load from.
LOADING = {text.number for text in TEXTS if text.name in OF_A_BLOCK}


@pytest.fixture(scope="module")
def paths(demo: Demo) -> Mapping[str, str]:
    """Pages with everything sent and published; their paths."""
    people = {
        "users": [user(SENDER, admin=True)],
        "webhooks": [{"user": SENDER, "code": WEBHOOK, "scopes": ["landing"]}],
    }
    with Service(data=demo.data, world={**world(), **people}, public_base=demo.base) as service:
        ask = partial(service.result, user=SENDER)
        send_everything(ask)
        made = make_page(ask)
        pages = {**SHOWN, MADE: made}
        with service.kernel.store.session(writes=True) as session:
            for page in [HOME, *pages.values()]:
                publish(session.connection(), page, service.kernel.now())
        urls = {name: ask("landing.landing.getpublicurl", lid=of) for name, of in pages.items()}
    return {name: urlsplit(url).path for name, url in urls.items()}


@pytest.fixture(scope="module")
def visits(visitor: Visitor, paths: Mapping[str, str]) -> dict[str, Visit]:
    """The pages, provoked while their policy stops nothing: the HTML must be safe by itself."""
    return {name: visitor.visit(path, provoke=True, loosely=True) for name, path in paths.items()}


@pytest.mark.rule("H1")
@each_page
def test_H1_no_text_runs(
    demo: Demo, paths: Mapping[str, str], visits: Mapping[str, Visit], name: str
) -> None:
    visit = visits[name]

    assert alive(visit) - (LOADING if name in {"whole", MADE} else set()) == set()
    assert (visit.ran, visit.dialogs) == ([], [])
    # Links for mail, telephone and our own pages are clicked, and lead nowhere here.
    assert [url for url in visit.went if url.startswith("http")] == [demo.base + paths[name]]


@pytest.mark.rule("H1", "H3")
@each_page
def test_H1_only_pictures_films_and_frames_are_requested(
    visits: Mapping[str, Visit], name: str
) -> None:
    asked = visits[name].asked

    hosts = {urlsplit(address).hostname for address in asked}
    assert "evil.example" not in hosts or name in {"whole", MADE}
    assert set(asked.values()) <= {"image", "media", "document"}


@pytest.mark.rule("H4")
@each_page
def test_H4_the_policy_has_nothing_to_stop(visits: Mapping[str, Visit], name: str) -> None:
    # Except pictures without https, and pictures that were set as a film.
    passing = ("img-src http:", "media-src http:", "media-src data")
    assert [each for each in visits[name].violations if not each.startswith(passing)] == []

"""The editor's screen and its frame: only for users who may see the page, under a policy without
scripts.
"""

import gzip
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx
import msgspec
import pytest

import landyard_console
from landyard.testing import WEBHOOK, Service
from landyard_console.editor.words import texts_of
from landyard_console.sessions import make_link

BASE = "https://shop.example"
STATIC = Path(landyard_console.__file__).parent / "static"
EDITOR = "/-/console/editor"
MOST = 250_000  # bytes of JavaScript and CSS over the wire
DRAFT = '<section class="landing-block"><h2 class="landing-block-node-title">Draft</h2></section>'
WORLD = {
    "users": [
        {"id": 1, "name": "Ann", "admin": True},
        {"id": 2, "name": "Ben", "sites_access": True, "rights": {}},
    ],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["admin", "landing"]}],
    "sites": [{"id": 1, "code": "shop", "title": "Shop", "main_page": 10}],
    "pages": [
        {
            "id": 10,
            "site": 1,
            "code": "home",
            "title": 'A "home" <page>',
            "blocks": [
                {"id": 100, "code": "ly.text", "content": DRAFT},
                {"id": 101, "code": "ly.text", "content": DRAFT, "active": False},
            ],
        }
    ],
}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service(world=WORLD, public_base=BASE) as service:
        yield service


def _get(service: Service, path: str, user: int = 1) -> httpx.Response:
    signed_in = service.get(make_link(service.kernel, user).removeprefix(BASE))
    cookie = signed_in.headers["set-cookie"].partition(";")[0]
    return service.request("GET", path, headers={"Cookie": cookie})


def test_the_screen_contains_the_data_that_the_editor_starts_from(service: Service) -> None:
    page = _get(service, f"{EDITOR}/10").text

    found = re.search(r'<div id="editor"[^>]* data-title="([^"]*)"', page)
    assert found
    assert unescape(found[1]) == 'A "home" <page>'
    assert re.search(r'src="/-/console/static/\w+/editor/start\.js"', page)


def test_the_frame_shows_the_draft_with_hidden_blocks_and_runs_no_script(service: Service) -> None:
    answer = _get(service, f"{EDITOR}/10/draft")

    policy = answer.headers["content-security-policy"]
    assert ('data-block="100"' in answer.text, 'data-block="101" data-hidden' in answer.text) == (
        True,
        True,
    )
    assert "script-src 'none'" in policy
    assert "frame-ancestors 'self'" in policy
    assert answer.headers["cache-control"] == "no-store"


def test_a_new_block_is_previewed_before_it_is_added(service: Service) -> None:
    answer = _get(service, f"{EDITOR}/10/blocks/ly.quote")

    assert "landing-block-node-quote" in answer.text
    assert "script-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["10", "10/draft", "10/blocks/ly.quote"])
def test_a_user_who_may_not_see_the_page_gets_nothing_of_it(service: Service, path: str) -> None:
    answer = _get(service, f"{EDITOR}/{path}", user=2)

    assert answer.status_code >= 400
    assert "Draft" not in answer.text.replace("landing", "")


@pytest.mark.parametrize("path", ["", "0", "x", "99999999999", "11", "11/draft", "-1/draft"])
def test_there_is_no_editor_for_a_missing_page(service: Service, path: str) -> None:
    assert _get(service, f"{EDITOR}/{path}").status_code >= 400


def test_a_draft_is_not_shown_to_signed_out_visitors(service: Service) -> None:
    assert service.get(f"{EDITOR}/10/draft").status_code == 401


def test_every_text_of_the_editor_is_translated() -> None:
    code = "\n".join(each.read_text() for each in (STATIC / "editor").glob("*.js"))
    matches = set(re.findall(r"""\bt\(['"]([\w.-]+)['"]""", code))

    assert matches
    assert matches - texts_of("en").keys() == set()


def test_the_editor_loads_little() -> None:
    folders = [STATIC / "editor", STATIC / "parts"]
    loaded = [each for folder in folders for each in folder.rglob("*")]
    loaded += [*STATIC.glob("*.js"), *STATIC.glob("*.css"), *(STATIC / "vendor").glob("*.js")]

    assert sum(len(gzip.compress(each.read_bytes())) for each in loaded) <= MOST


def test_each_language_has_the_same_texts_with_the_same_values() -> None:
    folder = Path(landyard_console.__file__).parent / "editor" / "words"
    usual = texts_of("en")
    for file in folder.glob("*.json"):
        own = msgspec.json.decode(file.read_bytes(), type=dict[str, str])
        assert own.keys() == usual.keys(), file.name
        values = {key: sorted(re.findall(r"\{\w+\}", text)) for key, text in own.items()}
        assert values == {key: sorted(re.findall(r"\{\w+\}", it)) for key, it in usual.items()}

"""Languages of public pages: the language attribute, and our own texts in the page."""

import re
from importlib.resources import files
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import find, page, site, world

from landyard.testing import Service
from landyard_content.words import words_of
from landyard_public.words import open_graph_locale

BASE = "https://base.example"
SHOWN: dict[str, Any] = {"active": True, "published": True}
pytestmark = pytest.mark.rule("P11")


def _service(make_service: MakeService, of: str, **more: Any) -> Service:
    of_site = site(8, code="home", language=of)
    loaded = world(page(10, site=8, title="T", **SHOWN, **more), sites=[of_site])
    return make_service(world=loaded, public_base=BASE)


def _html(answer: Any) -> tuple[str, str, str]:
    found = re.search('<html lang="([^"]*)" dir="([^"]*)">', answer.text)
    assert found is not None
    return found[1], found[2], answer.headers["content-language"]


@pytest.mark.parametrize("path", ["/home/page-10/", "/home/not-there/"])
def test_a_page_and_its_404_page_have_the_sites_language(
    make_service: MakeService, path: str
) -> None:
    service = _service(make_service, "ar")

    assert _html(service.get(path)) == ("ar", "rtl", "ar")


def test_a_page_has_its_own_language(make_service: MakeService) -> None:
    service = _service(make_service, "ar", language="de-at")

    answer = service.get("/home/page-10/")

    assert _html(answer) == ("de-AT", "ltr", "de-AT")
    assert "Zum Inhalt springen" in answer.text


def test_a_page_without_a_language_has_the_default_one(make_service: MakeService) -> None:
    service = make_service(world=world(page(10, **SHOWN)))

    assert _html(service.get("/site-7/page-10/")) == ("en", "ltr", "en")


def test_a_site_without_a_404_page_answers_in_its_language(
    make_service: MakeService,
) -> None:
    answer = _service(make_service, "ru").get("/home/<b>/")

    assert answer.status_code == 404
    assert words_of("ru").lost_heading in answer.text
    assert '<code dir="ltr">/home/&lt;b&gt;/</code>' in answer.text


def test_a_change_of_language_is_a_new_version(make_service: MakeService) -> None:
    service = _service(make_service, "ru")
    service.get("/home/page-10/")

    service.result("landing.site.update", id=8, fields={"LANG": "de"})

    assert _html(service.get("/home/page-10/"))[0] == "de"


def test_labels_of_the_catalogues_own_blocks_are_in_the_pages_language(
    make_service: MakeService,
) -> None:
    content = '<nav aria-label="Main" data-x="Main"></nav><nav aria-label="Main dishes"></nav>'
    codes = {"ly.menu": 100, "not.ours": 200}
    blocks = [
        {"id": block_id, "code": code, "content": content, "published_id": block_id + 1}
        for code, block_id in codes.items()
    ]

    text = _service(make_service, "de", blocks=blocks).get("/home/page-10/").text

    ours, _, others = text.partition("block-not-ours")
    labels = [each.attr("aria-label") for each in find(ours, "nav")]
    assert labels == ["Hauptmenü", "Main dishes"]
    assert others.count('aria-label="Main"') == 1


def test_every_file_of_texts_is_complete() -> None:
    folder = files("landyard_content") / "words"
    english = words_of("en")

    for tag in sorted(each.name.removesuffix(".json") for each in folder.iterdir()):
        words = words_of(tag)
        assert words.lost_text.count("{path}") == 1
        assert words.labels.keys() == english.labels.keys()
        assert tag == "en" or words.skip != english.skip


@pytest.mark.parametrize(
    ("tag", "found"), [("de-AT", "de"), ("ar", "ar"), ("ru-Cyrl-RU", "ru"), ("pt-BR", "en")]
)
def test_a_language_without_a_file_uses_the_texts_of_the_nearest(
    tag: str,
    found: str,
) -> None:
    assert words_of(tag) == words_of(found)


@pytest.mark.parametrize(
    ("tag", "locale"),
    [("pt-BR", "pt_BR"), ("zh-Hant-TW", "zh_TW"), ("de", "de_DE"), ("eo", ""), ("es-419", "")],
)
def test_open_graph_names_a_country_where_it_is_known(
    tag: str,
    locale: str,
) -> None:
    assert open_graph_locale(tag) == locale

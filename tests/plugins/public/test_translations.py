"""Pages that are translations of each other, and the links between them for search engines."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import EDITOR, as_user, find, page, row, site, stored, user, world

from landyard.testing import Service

BASE = "https://base.example"
ADD, UPDATE = "landing.landing.add", "landing.landing.update"
SHOWN: dict[str, Any] = {"active": True, "published": True}
RIGHTS = {"8": ["view", "edit", "settings"], "9": ["view", "edit"]}
WORLD = world(
    page(10, site=7, **SHOWN),
    page(11, site=7, language="de", translation_of=10, **SHOWN),
    page(12, site=8, translation_of=10, **SHOWN),
    page(13, site=8, language="ar", translation_of=10),  # it is not published
    page(14, site=7, **SHOWN),
    page(15, site=9, **SHOWN),
    sites=[site(8, language="ru", domain="ru.example"), site(9)],
    users=[user(EDITOR, sites_access=True, rights=RIGHTS)],
)
URLS = {
    "en": f"{BASE}/site-7/page-10/",
    "de": f"{BASE}/site-7/page-11/",
    "ru": "https://ru.example/page-12/",
}
pytestmark = pytest.mark.rule("P11")


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD, public_base=BASE)


def _named(service: Service, path: str, host: str = "") -> dict[str, str]:
    links = find(service.get(path, host=host).text, 'link[rel="alternate"]')
    return {str(each.attr("hreflang")): str(each.attr("href")) for each in links}


@pytest.mark.parametrize(
    ("path", "host"),
    [("/site-7/page-10/", ""), ("/site-7/page-11/", ""), ("/page-12/", "ru.example")],
)
def test_translations_link_to_each_other_and_to_the_original(
    service: Service, path: str, host: str
) -> None:
    assert _named(service, path, host) == {**URLS, "x-default": URLS["en"]}


def test_pages_hidden_from_visitors_are_not_linked(service: Service) -> None:
    service.load({"sites": [{"id": 8, "active": False}]})
    service.load({"pages": [{"id": 10, "site": 7, "active": False}]})
    alone = _named(service, "/site-7/page-11/")

    service.load({"sites": [{"id": 8, "active": True}]})

    assert alone == _named(service, "/site-7/page-14/") == {}
    assert _named(service, "/site-7/page-11/") == {each: URLS[each] for each in ("de", "ru")}


@pytest.mark.parametrize(("host", "pages"), [("", 2), ("ru.example", 1)])
def test_site_maps_name_translations_on_other_domains_as_well(
    service: Service, host: str, pages: int
) -> None:
    text = service.get("/sitemap.xml", host=host).text

    for language, url in {**URLS, "x-default": URLS["en"]}.items():
        link = f'<xhtml:link rel="alternate" hreflang="{language}" href="{url}"/>'
        assert text.count(link) == pages
    assert text.count("<xhtml:link") == 4 * pages
    assert 'xmlns:xhtml="http://www.w3.org/1999/xhtml"' in text


def test_a_page_becomes_a_translation_by_calls(service: Service) -> None:
    made = service.result(
        ADD, fields={"TITLE": "Neu", "SITE_ID": 7, "LANG": "FR", "TRANSLATION_OF": 11}
    )
    service.result(UPDATE, lid=14, fields={"LANG": "pt-br", "TRANSLATION_OF": 10})
    service.result(UPDATE, lid=11, fields={"LANG": "", "TRANSLATION_OF": 0})

    kept = {each: row(service, each) for each in (made, 14, 11)}
    assert [(each["language"], each["original_id"]) for each in kept.values()] == [
        ("fr", 10),  # the original of the page that was named
        ("pt-BR", 10),
        (None, None),
    ]
    assert set(_named(service, "/site-7/page-14/")) == {"en", "pt-BR", "ru", "x-default"}


def test_lists_of_pages_answer_language_and_original(service: Service) -> None:
    sent = {"select": ["ID", "LANG", "TRANSLATION_OF"], "filter": {"ID": 11}}

    (found,) = service.result("landing.landing.getList", {"params": sent})

    assert (found["LANG"], found["TRANSLATION_OF"]) == ("de", "10")


@pytest.mark.parametrize(
    "fields",
    [
        {"LANG": "german"},
        {"LANG": '"><script>'},
        {"TRANSLATION_OF": 14},  # the page itself
        {"TRANSLATION_OF": 999},
    ],
)
def test_an_impossible_translation_is_refused(service: Service, fields: dict[str, Any]) -> None:
    before = stored(service, "landing_page")

    answers = [service.call(UPDATE, lid=14, fields=fields)]
    if fields != {"TRANSLATION_OF": 14}:
        new = {"TITLE": "New", "SITE_ID": 7, **fields}
        answers.append(service.call(ADD, fields=new))

    assert {answer.error for answer in answers} == {"ACCESS_DENIED"}
    assert stored(service, "landing_page") == before


def test_an_original_with_translations_does_not_become_one(service: Service) -> None:
    answer = service.call(UPDATE, lid=10, fields={"TRANSLATION_OF": 14})

    assert answer.error == "ACCESS_DENIED"


# The caller may change the settings of page 13's site but not of its original's; page 15 may be
# edited.
@pytest.mark.parametrize("named", [13, 15])
def test_pages_are_linked_only_where_the_caller_may_change_all_of_them(
    service: Service, named: int
) -> None:
    service.load({"pages": [page(20, site=8), page(21, site=8)]})
    service.result(UPDATE, lid=21, fields={"TRANSLATION_OF": 20}, **as_user(EDITOR))
    answer = service.call(UPDATE, lid=21, fields={"TRANSLATION_OF": named}, **as_user(EDITOR))

    assert answer.error == "ACCESS_DENIED"
    assert (row(service, 20)["original_id"], row(service, 21)["original_id"]) == (None, 20)


def test_translations_of_a_deleted_page_stay_linked(service: Service) -> None:
    service.result(UPDATE, lid=10, fields={"DELETED": "Y"})
    service.result("landing.landing.delete", lid=10)

    assert _named(service, "/site-7/page-11/") == {each: URLS[each] for each in ("de", "ru")}


def test_a_site_is_imported_with_its_languages(service: Service) -> None:
    export = service.result("landing.site.fullExport", id=7)

    own = {key: each["landyard"] for key, each in export["items"].items()}
    assert export["landyard"]["language"] == "en"
    assert (own["page-11"]["language"], own["page-11"]["translation_of"]) == ("de", "page-10")
    assert own["page-10"]["translation_of"] is None

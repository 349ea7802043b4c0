"""Templates of plugins: complete, safe and linked; pages are made one by one, or a site in one
call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest
from conftest import MakeService
from msgspec import structs
from plugins.catalogue.shipped import PAGES, PLUGINS, SITES, TYPES, VIEWER, picture_is_there, world
from plugins.content.blocks.shipped import is_mailbox, makes_an_outline
from tables import for_each
from turbohtml import parse_fragment

import landyard_forms
from landyard import PluginError
from landyard.testing import Service
from landyard_content.blocks.blocktypes import BlockType, catalogue
from landyard_content.pages.creation import CreatedPage, create_page
from landyard_content.pages.templates import (
    PageTemplate,
    SiteTemplate,
    TemplateBlock,
    builtin_templates,
)
from landyard_html.policy import clean_block
from landyard_landing.errors import AccessDenied

(FORM,) = landyard_forms.register_records()
KINDS: dict[str, BlockType] = {**catalogue(), **TYPES, FORM.key: FORM}  # type: ignore[dict-item]
WHOLE = [code for code, site in SITES.items() if site.is_site]
BLOCKS = [
    pytest.param(block, id=f"{code}-{number}-{block.code}")
    for code, page in {**builtin_templates(), **PAGES}.items()
    for number, block in enumerate(page.blocks)
    if code in PAGES or block.code == FORM.key
]


def html_of(page: PageTemplate) -> str:
    return "".join(block.content or "" for block in page.blocks)


def links(page: PageTemplate) -> Iterator[str]:
    for link in parse_fragment(html_of(page)).select("a"):
        yield link.attr("href") or ""


# ------------------------------------------------------------ shipped templates


@pytest.mark.parametrize("code", SITES)
def test_every_shipped_template_is_valid(code: str) -> None:
    SITES[code].check({})


@for_each("block", BLOCKS)
def test_a_block_of_a_template_can_be_edited_as_its_type_can(block: TemplateBlock) -> None:
    manifest = KINDS[block.code].manifest
    named = {*manifest.nodes, *manifest.cards, *manifest.attrs, *manifest.menu}
    fragment = parse_fragment(block.content or "")

    assert clean_block(block.content or "") == block.content
    assert {selector for selector in named if not fragment.select(selector)} == set()


@for_each("code", PAGES)
def test_a_page_has_an_outline_pictures_and_what_search_engines_show(code: str) -> None:
    page = PAGES[code]
    fields = page.fields["ADDITIONAL_FIELDS"]
    assert {*fields} == {f"META{of}_{name}" for of in ("OG", "MAIN") for name in _SAID}
    assert all(fields.values())
    assert makes_an_outline(html_of(page))
    for picture in parse_fragment(html_of(page)).select("img"):
        assert (picture.attr("alt") or "").strip()
        assert picture_is_there(picture.attr("src") or "")


_SAID = ("TITLE", "DESCRIPTION")


@for_each("code", PAGES)
def test_every_link_of_a_template_leads_to_something(code: str) -> None:
    site = SITES[code.partition("/")[0]]
    assert [target for target in links(PAGES[code]) if not leads(site, PAGES[code], target)] == []


def leads(site: SiteTemplate, page: PageTemplate, target: str) -> bool:
    """Tell whether a link leads to a page of the site, an anchor, or a mailbox."""
    if is_mailbox(target):
        return True
    path, _, anchor = target.partition("#")
    if path:
        found = re.fullmatch(r"/~/((?:[\w-]+/)*)", path)
        code = f"{site.code}/{found[1]}".rstrip("/") if found else ""
        if code not in PAGES:
            return False
        page = PAGES[code]
    return anchor in {"", "content", *(block.anchor for block in page.blocks if block.anchor)}


@pytest.mark.parametrize("code", WHOLE)
def test_every_page_of_a_site_is_reached_from_its_main_page(code: str) -> None:
    reached, waiting = set(), [SITES[code].pages[0]]
    while waiting:
        page = waiting.pop()
        reached.add(page.code)
        for target in links(page):
            path = target.partition("#")[0].removeprefix("/~/").rstrip("/")
            found = PAGES.get(f"{code}/{path}") if target.startswith("/~/") and path else None
            if found and found.code not in reached:
                waiting.append(found)
    assert reached == {page.code for page in SITES[code].pages}


# ------------------------------------------------------------ pages made from them


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=world())


def test_a_page_is_made_from_a_template_and_its_links_stay_in_the_site(service: Service) -> None:
    made = {"siteId": 1, "code": "restaurant/card", "fields": {"TITLE": "Our card"}}
    page = service.result("landing.landing.addByTemplate", made)
    shown = {"lid": page, "params": {"edit_mode": True, "get_content": True}}
    content = "".join(each["content"] for each in service.result("landing.block.getlist", shown))

    assert 'href="/shop/way/#table"' in content
    assert "/~/" not in content


def test_templates_are_listed_by_their_codes(service: Service) -> None:
    pages = service.result("landing.demos.getPageList", {"type": "page"})
    sites = service.result("landing.demos.getSiteList", {"type": "page"})

    assert PAGES.keys() < pages.keys()
    assert sorted(sites) == sorted(WHOLE)
    assert [*sites["agency"]["DATA"]["items"]] == [page.code for page in SITES["agency"].pages]


def test_no_call_registers_a_template_of_the_same_code(service: Service) -> None:
    page = {"code": "card", "name": "Card", "type": "page", "items": {}}
    site = {"code": "restaurant", "name": "Inn", "type": "page", "items": {"card": page}}
    refused = service.call("landing.demos.register", {"data": site})

    assert refused.error == "REGISTER_ERROR_DATA"
    assert "'restaurant/card'" in refused.body["error_description"]


# ------------------------------------------------------------------ a site in one call


@pytest.mark.parametrize("code", WHOLE)
def test_a_site_is_made_in_one_call_and_all_its_links_arrive(service: Service, code: str) -> None:
    params = {"template": code, "title": "Ours", "code": "ours"}
    made = service.result("landyard.site.fromtemplate", params)
    assert [page["path"] for page in made["pages"]] == [
        page.code.removeprefix(code).removeprefix("/") for page in SITES[code].pages
    ]
    assert service.get("/ours/").status_code == 404  # the pages are drafts

    service.result("landing.site.publication", {"id": made["id"]})
    for page in made["pages"]:
        path = f"/ours/{page['path']}/" if page["path"] else "/ours/"
        shown = service.get(path)
        assert shown.status_code == 200, path
        for link in parse_fragment(shown.text).select("a[href^='/']"):
            target = (link.attr("href") or "").partition("#")[0]
            assert service.get(target).status_code == 200, (path, target)


def test_two_sites_of_one_template_have_links_of_their_own(service: Service) -> None:
    for _ in range(2):
        service.result("landyard.site.fromtemplate", {"template": "restaurant", "code": "inn"})
    sites = service.result("landing.site.getList", {"params": {"select": ["ID", "CODE", "TITLE"]}})
    second = sites[-1]
    assert (second["CODE"], second["TITLE"]) == ("/inn2/", "Restaurant")
    service.result("landing.site.publication", {"id": second["ID"]})
    page = service.get("/inn2/").text

    assert 'href="/inn2/card/"' in page
    assert 'href="/inn/' not in page


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"template": "nothing"}, "TEMPLATE_NOT_FOUND"),
    ({"template": "thank-you"}, "TEMPLATE_NOT_FOUND"),  # a template of a page, not of a site
    ({"template": "event"}, "TEMPLATE_NOT_FOUND"),
    ({"template": "agency", "code": "a/b"}, "SLASH_IS_NOT_ALLOWED"),
    ({}, "MISSING_PARAMS"),
    ({"template": ["agency"]}, "TYPE_ERROR"),
    ({"template": "agency", "title": "x" * 300}, "TYPE_ERROR"),
]


@pytest.mark.parametrize(("params", "error"), REFUSED)
def test_a_refused_call_makes_nothing(service: Service, params: dict[str, Any], error: str) -> None:
    assert service.call("landyard.site.fromtemplate", params).error == error
    assert len(service.result("landing.site.getList", {"params": {}})) == 1


def test_a_site_is_made_whole_or_not_at_all(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []

    def create(*args: Any, **more: Any) -> CreatedPage:
        if len(made) == 3:
            raise AccessDenied
        made.append(create_page(*args, **more))
        return cast("CreatedPage", made[-1])

    monkeypatch.setattr("landyard_sitekit.site_filling.create_page", create)
    params = {"template": "agency", "code": "ours"}
    assert service.call("landyard.site.fromtemplate", params).error == "ACCESS_DENIED"
    monkeypatch.undo()

    assert len(made) == 3
    assert len(service.result("landing.site.getList", {"params": {}})) == 1
    assert len(service.result("landing.landing.getList", {"params": {}})) == 1
    service.result("landyard.site.fromtemplate", params)  # the address is still free
    sites = service.result("landing.site.getList", {"params": {"select": ["CODE"]}})
    assert sites[-1]["CODE"] == "/ours/"


def test_a_user_who_may_not_make_sites_makes_none_from_a_template(service: Service) -> None:
    params = {"template": "agency"}
    refused = service.call("landyard.site.fromtemplate", params, user=2, webhook=VIEWER)

    assert refused.error == "ACCESS_DENIED"


def test_no_site_is_made_beyond_the_limit_of_sites(
    make_service: MakeService,
) -> None:
    service = make_service(world=world(), sites={"most": 1})
    refused = service.call("landyard.site.fromtemplate", {"template": "agency"})

    assert refused.error == "SITE_LIMIT_REACHED"


def test_hostile_titles_and_codes_are_texts(service: Service) -> None:
    hostile = '"><script>alert(1)</script>'
    params = {"template": "restaurant", "title": hostile, "code": hostile.replace("/", "")}
    made = service.result("landyard.site.fromtemplate", params)
    service.result("landing.site.publication", {"id": made["id"]})
    url = service.result("landing.site.getPublicUrl", {"id": made["id"]})
    page = service.get(re.sub(r"^https?://[^/]+", "", url)).text

    assert "<script" not in page


# ------------------------------------------------------------ templates of plugins

DOCUMENT = Path(__file__).parents[3] / "docs" / "templates.md"


def test_the_plugin_of_the_documentation_provides_a_site_template() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text(), re.DOTALL | re.MULTILINE)
    inn = ModuleType("landyard_inn")
    exec(code, vars(inn))
    with Service([*PLUGINS, inn], world=world()) as service:
        made = service.result("landyard.site.fromtemplate", {"template": "inn"})

    assert [page["path"] for page in made["pages"]] == ["", "rooms"]


PAGE = PageTemplate("inn", title="Inn")
BELOW = structs.replace(PAGE, code="inn/rooms/attic", fields={"CODE": "attic"})
AWAY = structs.replace(PAGE, code="inn/rooms", fields={"CODE": "chambers"})
SLASHED = structs.replace(PAGE, code="inn/Rooms", fields={"CODE": "Rooms"})
WRONG = [
    (SiteTemplate("inn", "Inn", ()), "first page"),
    (SiteTemplate("inn", "Inn", (BELOW, PAGE)), "first page"),
    (SiteTemplate("inn", "Inn", (PAGE, PAGE)), "first page"),
    (SiteTemplate("inn", "Inn", (PAGE, structs.replace(PAGE, code="barn"))), "first page"),
    (SiteTemplate("inn", "Inn", (PAGE, BELOW)), "'folders' must have 'rooms'"),
    (SiteTemplate("inn", "Inn", (PAGE, AWAY)), 'must have "CODE": "rooms"'),
    (SiteTemplate("inn", "Inn", (PAGE, SLASHED)), "in lower-case letters"),
    (SiteTemplate("event", "Event", (structs.replace(PAGE, code="event"),)), "built-in"),
]


@pytest.mark.parametrize(("template", "message"), WRONG)
def test_a_faulty_template_is_refused_with_advice(template: SiteTemplate, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        template.check({})

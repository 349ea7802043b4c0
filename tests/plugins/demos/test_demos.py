"""Registered templates are listed, changed and removed, and pages are made from them."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import (
    CODE,
    EDITOR,
    OUTSIDER,
    PAGE,
    STRANGER,
    VIEWER,
    as_user,
    block,
    everything,
    page,
    stored,
    user,
    world,
)

from landyard.testing import Service

REGISTER, UNREGISTER = "landing.demos.register", "landing.demos.unregister"
LIST, PAGES, SITES = (f"landing.demos.{name}" for name in ("getList", "getPageList", "getSiteList"))
MAKE = "landing.landing.addByTemplate"
BLOCK = {
    "old_id": 5,
    "code": CODE,
    "anchor": "first",
    "nodes": {".title": ["New <b>title</b>"], ".text": ["Eins", "Zwei"], "x:y": "?"},
    "attrs": {".title": "?"},
}
HOME = {
    "code": "home",
    "name": "Home",
    "description": None,
    "type": "page",
    "fields": {"TITLE": "Home", "RULE": None, "ADDITIONAL_FIELDS": {"THEME_CODE": "x"}},
    "items": {"#block5": BLOCK, "#block6": {"code": "nobody.knows"}, "#block7": "?"},
}
DATA = {
    "code": "ours",
    "name": "Ours",
    "type": "page",
    "fields": {"TITLE": "Ours"},
    "folders": [],
    "items": {"home": HOME, "about": {"code": "about", "name": "About", "items": []}},
    "preview": "https://pictures.example/p.png",
    "version": 3,
}
WORLD = world(
    page(PAGE, block(100), title="Page"),
    users=[
        user(VIEWER, sites_access=True, rights={"*": ["view"]}),
        user(STRANGER, sites_access=True),
        user(OUTSIDER),
        user(EDITOR, sites_access=True, rights={"*": ["edit"]}),
    ],
)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD)


def _make(service: Service, code: str) -> int:
    made: int = service.result(MAKE, siteId=7, code=code)
    return made


def test_pages_are_made_from_a_registered_template(service: Service) -> None:
    ids = service.result(REGISTER, data=DATA, **as_user(VIEWER))

    assert len(ids) == 3
    made = _make(service, "ours/home")
    (row,) = stored(service, "landing_page", id=made)
    assert (row["title"], row["template_code"]) == ("Home", "ours/home")
    (draft,) = stored(service, "landing_block", page_id=made)
    assert draft["anchor"] == "first"
    assert '<h2 class="title big">New <b>title</b></h2>' in draft["content"]
    assert ">Eins<" in draft["content"]
    assert ">Three<" in draft["content"]
    assert _make(service, "ours/about")


def test_an_export_of_this_service_is_registered_whole(service: Service) -> None:
    service.result("landing.site.publication", id=7)
    export = service.result(
        "landing.site.fullExport", {"id": 7, "params": {"code": "again", "name": "Again"}}
    )
    key = next(iter(export["items"]))

    service.result(REGISTER, data=export)

    (draft,) = stored(service, "landing_block", page_id=_make(service, f"again/{key}"))
    (original,) = stored(service, "landing_block", id=100)
    assert draft["content"] == original["content"]


def test_registering_the_same_code_again_replaces_the_whole_template(service: Service) -> None:
    first = service.result(REGISTER, data=DATA)

    second = service.result(REGISTER, data=[{**DATA, "items": {"home": HOME | {"name": "New"}}}])

    assert second == first[:2]
    assert service.call(MAKE, siteId=7, code="ours/about").error == "WRONG_DATA"
    titles = {row["XML_ID"]: row["TITLE"] for row in service.result(LIST)}
    assert titles == {"ours": "Ours", "ours/home": "New"}


def test_a_removed_template_is_gone_and_its_pages_stay(service: Service) -> None:
    service.result(REGISTER, data=DATA)
    made = _make(service, "ours/home")

    assert service.result(UNREGISTER, code="ours") is True
    assert service.result(UNREGISTER, code="ours") is False
    assert service.result(UNREGISTER, code=["ours"]) is False

    assert service.call(MAKE, siteId=7, code="ours/home").error == "WRONG_DATA"
    assert service.result(LIST) == []
    assert stored(service, "landing_template") == []
    assert stored(service, "landing_page", id=made)


def test_registered_templates_are_listed(service: Service) -> None:
    more = {"site_template_id": "t", "lang": {"de": {"A": "B"}}, "lang_original": "de"}
    site_id, home, _ = service.result(REGISTER, {"data": DATA, "params": more}, **as_user(VIEWER))

    rows = service.result(LIST, {"params": {"order": {"ID": "ASC"}}}, **as_user(STRANGER))
    assert [(row["ID"], row["XML_ID"], row["TPL_TYPE"]) for row in rows[:2]] == [
        (str(site_id), "ours", "S"),
        (str(home), "ours/home", "P"),
    ]
    assert (rows[0]["TYPE"], rows[0]["MANIFEST"]) == ("page", DATA)
    assert (rows[0]["LANG_ORIGINAL"], rows[0]["SITE_TEMPLATE_ID"]) == ("de", "t")
    chosen = {"params": {"select": ["TITLE"], "filter": {"TPL_TYPE": "S"}}}
    assert service.result(LIST, chosen) == [{"TITLE": "Ours", "MANIFEST": False}]
    grouped = {"params": {"group": ["TPL_TYPE"], "order": {"TPL_TYPE": "ASC"}}}
    assert service.result(LIST, grouped) == [{"TPL_TYPE": "P"}, {"TPL_TYPE": "S"}]


def test_templates_are_offered_under_the_codes_that_make_pages(service: Service) -> None:
    hidden = {"code": "secret", "name": "Secret", "show_in_list": "N"}
    data = DATA | {"items": {"home": HOME, "secret": hidden}}
    _, home, _ = service.result(REGISTER, data=data)

    offered = service.result(PAGES, type="page", **as_user(STRANGER))
    assert {"empty", "ours/home"} <= offered.keys()
    assert "ours/secret" not in offered
    assert _make(service, "ours/secret")
    assert (offered["ours/home"]["REST"], offered["ours/home"]["DATA"]) == (home, HOME)
    assert (offered["empty"]["TYPE"], offered["empty"]["REST"]) == (["PAGE"], 0)
    for code in offered:
        _make(service, code)
    assert [*service.result(SITES, type="PAGE")][-1:] == ["ours"]  # listed after those of plugins
    assert service.result(SITES, type="STORE") == {}
    assert [*service.result(PAGES, type="page", filter={"=ID": "empty", "ACTIVE": "Y"})] == [
        "empty"
    ]
    assert service.result(PAGES, type="page", filter={"TYPE": "STORE"}) == {}


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, "MISSING_PARAMS"),
        ({"data": "x"}, "ERROR_ARGUMENT"),
        ({"data": DATA, "params": "x"}, "ERROR_ARGUMENT"),
        ({"data": DATA, "params": {"lang": "x"}}, "ERROR_ARGUMENT"),
        ({"data": {}}, "REGISTER_ERROR_DATA"),
        ({"data": []}, "REGISTER_ERROR_DATA"),
        ({"data": [DATA, {}]}, "REGISTER_ERROR_DATA"),
        ({"data": ["x"]}, "REGISTER_ERROR_DATA"),
        ({"data": DATA | {"code": ""}}, "REGISTER_ERROR_DATA"),
        ({"data": DATA | {"code": "a/b"}}, "REGISTER_ERROR_DATA"),
        ({"data": DATA | {"type": "house"}}, "REGISTER_ERROR_DATA"),
        ({"data": DATA | {"items": {"home": "x"}}}, "REGISTER_ERROR_DATA"),
        ({"data": DATA | {"items": {"a": HOME, "b": HOME}}}, "REGISTER_ERROR_DATA"),
        ({"data": DATA | {"name": "", "fields": {}}}, "BX_EMPTY_REQUIRED"),
        ({"data": DATA | {"items": {"a": {"code": "a"}}}}, "BX_EMPTY_REQUIRED"),
        ({"data": DATA | {"description": "<b onclick='x()'>x</b>"}}, "CONTENT_IS_BAD"),
        (
            {"data": DATA | {"items": {"a": HOME | {"items": {"b": {"c": ["<script>"]}}}}}},
            "CONTENT_IS_BAD",
        ),
    ],
)
def test_a_wrong_template_is_refused(service: Service, params: Any, code: str) -> None:
    before = everything(service)

    assert service.call(REGISTER, params).error == code
    assert everything(service) == before


def test_a_template_of_a_world_file_keeps_its_code(make_service: MakeService) -> None:
    taken = {"code": "ours/home", "title": "Taken"}
    service = make_service(world={**WORLD, "templates": [taken]})

    assert service.call(REGISTER, data=DATA).error == "REGISTER_ERROR_DATA"
    assert [row["title"] for row in stored(service, "landing_template")] == ["Taken"]


def test_each_method_needs_its_rights(service: Service) -> None:
    service.result(REGISTER, data=DATA, **as_user(VIEWER))
    before = everything(service)
    calls: dict[str, dict[str, Any]] = {
        REGISTER: {"data": DATA},
        UNREGISTER: {"code": "ours"},
        LIST: {},
        PAGES: {"type": "page"},
        SITES: {"type": "page"},
    }
    for method, params in calls.items():
        assert service.call(method, params, **as_user(OUTSIDER)).error == "ACCESS_DENIED"
    for method in (REGISTER, UNREGISTER):
        assert service.call(method, calls[method], **as_user(EDITOR)).error == "ACCESS_DENIED"
    assert everything(service) == before
    assert service.result(REGISTER, calls[REGISTER])  # the caller is an administrator


def test_a_parameter_of_a_wrong_type_is_refused(service: Service) -> None:
    for method in (PAGES, SITES):
        assert service.call(method).error == "MISSING_PARAMS"
        assert service.call(method, type=["x"]).error == "ERROR_ARGUMENT"
        assert service.call(method, type="page", filter="x").error == "ERROR_ARGUMENT"
        for wrong in ({"NO": 1}, {"ID": ["x"]}, {"DATA": "x"}):
            assert service.call(method, type="page", filter=wrong).error == "TYPE_ERROR"
    assert service.call(LIST, {"params": "x"}).error == "ERROR_ARGUMENT"
    assert service.call(LIST, {"params": {"filter": {"NO": 1}}}).error == "TYPE_ERROR"


@pytest.mark.rule("H1", "H2")
def test_H2_the_html_of_a_template_is_sanitised(service: Service) -> None:
    own = {"landyard": {"content": '<section made="up"><p style="x:y">x</p></section>'}}
    item = HOME | {"items": {"#block1": {"code": "x", **own}}}
    service.result(REGISTER, data=DATA | {"items": {"home": item}})

    (row,) = stored(service, "landing_template")
    assert "made" not in str(row["blocks"])
    (draft,) = stored(service, "landing_block", page_id=_make(service, "ours/home"))
    assert draft["content"].startswith("<section><p")


PREVIEW = "landyard.template.preview"


def test_the_preview_of_a_template_shows_its_page_and_makes_nothing(service: Service) -> None:
    service.result(REGISTER, data=DATA)
    before = service.result("landing.landing.getList", params={"select": ["ID"]})

    shown = service.result(PREVIEW, code="event", siteId=7)

    assert shown.startswith("<!doctype html>")
    assert "landing-block" in shown
    assert "<script" not in shown
    assert service.result("landing.landing.getList", params={"select": ["ID"]}) == before
    assert service.result(PREVIEW, code="event", siteId=7, **as_user(STRANGER))
    assert service.call(PREVIEW, code="nobody.knows").error == "ERROR_ARGUMENT"
    assert service.call(PREVIEW, code="event", **as_user(OUTSIDER)).error == "ACCESS_DENIED"


def test_H1_an_address_that_runs_a_script_is_not_answered(service: Service) -> None:
    script = "javascript:alert(1)"
    pictures = dict.fromkeys(("preview", "preview2x", "preview3x", "preview_url"), script)
    data: dict[str, Any] = {
        "code": "odd",
        "name": "JavaScript: the boats",
        "type": "page",
        **pictures,
    }
    data |= {"items": {}, "fields": {"TITLE": "x"}, "further": {"url": script}}
    service.result(REGISTER, {"data": data, "params": {}})

    lists = [
        service.result("landing.demos.getList"),
        service.result("landing.demos.getSiteList", type="page"),
    ]

    assert "javascript:alert" not in str(lists)
    assert "JavaScript: the boats" in str(lists)

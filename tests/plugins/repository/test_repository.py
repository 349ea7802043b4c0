"""The repository: blocks registered by calls are listed, added to pages, and edited there."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import (
    EDITOR,
    OUTSIDER,
    PAGE,
    STRANGER,
    VIEWER,
    as_user,
    block,
    everything,
    page,
    site,
    stored,
    user,
    world,
)
from tables import for_each

from landyard.testing import Service

REGISTER, UNREGISTER = "landing.repo.register", "landing.repo.unregister"
WIDGET = "landing.repowidget.register"
HTML = '<section class="landing-block"><p class="text">Hello</p></section>'
FIELDS = {
    "NAME": "Greeting",
    "DESCRIPTION": "Says hello",
    "SECTIONS": "cover, about",
    "PREVIEW": "https://pictures.example/hello.png",
    "CONTENT": HTML,
}
NODES = {"nodes": {".text": {"name": "Text", "type": "text"}}}
CALL = {"code": "hello", "fields": FIELDS, "manifest": NODES}
WIDGET_FIELDS = {
    **FIELDS,
    "CONTENT": '<div class="w" @click="x"><p>{{count}}</p></div>',
    "WIDGET_PARAMS": {"rootNode": ".w", "handler": "https://w.example/", "demoData": {"count": 1}},
}
BAD = '<div style="color:red" onclick="x()"><iframe src="//evil.com"></iframe></div>'
WORLD = world(
    page(PAGE, block(100)),
    page(20, site=8),
    page(30, site=9),
    sites=[site(8, type="MAINPAGE"), site(9)],
    users=[
        user(VIEWER, sites_access=True, rights={"*": ["view"]}),
        user(STRANGER, sites_access=True),
        user(OUTSIDER),
        user(EDITOR, sites_access=True, rights={"7": ["edit"], "9": ["view"]}),
    ],
)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD)


def _add(service: Service, block_id: int, lid: int = PAGE, **more: Any) -> int:
    sent = {"lid": lid, "fields": {"CODE": f"repo_{block_id}"}, **more}
    added: int = service.result("landing.landing.addblock", sent)
    return added


def _content(service: Service, draft_id: int) -> str:
    (row,) = stored(service, "landing_block", id=draft_id)
    return str(row["content"])


def test_a_registered_block_is_listed_added_and_edited(service: Service) -> None:
    block_id = service.result(REGISTER, CALL, **as_user(VIEWER))

    offered = service.result("landing.block.getrepository", {"section": "about"})["items"]
    told = offered[f"repo_{block_id}"]
    assert (told["name"], told["repo_id"]) == ("Greeting", block_id)
    assert told["preview"] == FIELDS["PREVIEW"]
    added = _add(service, block_id)
    edit = {"lid": PAGE, "block": added, "data": {".text": "Changed"}}
    assert service.result("landing.block.updatenodes", edit) is True
    assert _content(service, added) == HTML.replace("Hello", "Changed")
    (row,) = stored(service, "audit_row", method=REGISTER)
    assert row["subject"] == f"repository_block:{block_id}"


def test_registering_the_same_code_again_changes_blocks_added_later(service: Service) -> None:
    block_id = service.result(REGISTER, CALL)
    first = _add(service, block_id)
    changed = FIELDS | {"CONTENT": HTML.replace("Hello", "Good day")}

    assert service.result(REGISTER, CALL | {"fields": changed}) == block_id

    assert "Good day" in _content(service, _add(service, block_id))
    assert _content(service, first) == HTML


def test_RESET_gives_the_new_HTML_to_drafts_that_the_caller_may_edit(service: Service) -> None:
    block_id = service.result(REGISTER, CALL, **as_user(EDITOR))
    here, elsewhere = _add(service, block_id), _add(service, block_id, lid=30)
    html = HTML.replace("Hello", "Good day")

    service.result(
        REGISTER, CALL | {"fields": FIELDS | {"CONTENT": html, "RESET": "Y"}}, **as_user(EDITOR)
    )

    assert (_content(service, here), _content(service, elsewhere)) == (html, HTML)
    assert stored(service, "landing_history", block_id=here, method=REGISTER)


def test_an_inactive_block_is_not_added_and_stays_editable(service: Service) -> None:
    block_id = service.result(REGISTER, CALL)
    added = _add(service, block_id)
    service.result(REGISTER, CALL | {"fields": FIELDS | {"ACTIVE": "N"}})

    refused = service.call(
        "landing.landing.addblock", lid=PAGE, fields={"CODE": f"repo_{block_id}"}
    )
    assert refused.error == "BLOCK_CANT_BE_ADDED"
    assert service.result("landing.block.getrepository", {"section": "about"}) is False
    edit = {"lid": PAGE, "block": added, "data": {".text": "Changed"}}
    assert service.result("landing.block.updatenodes", edit) is True


def test_a_removed_block_stays_on_its_pages(service: Service) -> None:
    block_id = service.result(REGISTER, CALL)
    added = _add(service, block_id)

    assert service.result(UNREGISTER, code="hello") is True
    assert service.result(UNREGISTER, code="hello") is False

    assert _content(service, added) == HTML
    assert service.result("landing.repo.getList") == []
    assert stored(service, "landing_manifest", code=f"repo_{block_id}") == []
    assert service.result(REGISTER, CALL) > block_id  # the id of a removed block is not used again


def test_a_manifest_of_a_world_file_keeps_its_code(make_service: MakeService) -> None:
    taken = {"code": "repo_1", "name": "Taken", "content": HTML, "manifest": {}}
    service = make_service(world={**WORLD, "manifests": [*WORLD["manifests"], taken]})

    block_id = service.result(REGISTER, CALL)

    assert block_id != 1
    assert [row["name"] for row in stored(service, "landing_manifest", code="repo_1")] == ["Taken"]


def test_the_list_answers_the_registered_values(service: Service) -> None:
    block_id = service.result(REGISTER, CALL, **as_user(VIEWER))
    service.result(WIDGET, {"code": "w", "fields": WIDGET_FIELDS})

    (row,) = service.result("landing.repo.getList", **as_user(STRANGER))

    assert (row["ID"], row["XML_ID"], row["APP_CODE"]) == (str(block_id), "hello", None)
    assert (row["ACTIVE"], row["CREATED_BY_ID"]) == ("Y", str(VIEWER))
    assert (row["MANIFEST"], row["CONTENT"]) == (NODES, HTML)
    chosen = {"params": {"select": ["NAME", "MANIFEST"], "filter": {"=XML_ID": "hello"}}}
    listed = service.result("landing.repo.getList", chosen)
    assert listed == [{"NAME": "Greeting", "MANIFEST": NODES}]
    grouped = {"params": {"group": ["ACTIVE"]}}
    assert service.result("landing.repo.getList", grouped) == [{"ACTIVE": "Y"}]


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"fields": FIELDS}, "MISSING_PARAMS"),
        (CALL | {"code": ["x"]}, "ERROR_ARGUMENT"),
        (CALL | {"code": ""}, "ERROR_ARGUMENT"),
        (CALL | {"code": "x" * 256}, "ERROR_ARGUMENT"),
        (CALL | {"fields": "x"}, "ERROR_ARGUMENT"),
        (CALL | {"manifest": "x"}, "ERROR_ARGUMENT"),
        (CALL | {"fields": FIELDS | {"NAME": {"a": 1}}}, "ERROR_ARGUMENT"),
        (CALL | {"fields": FIELDS | {"ACTIVE": "perhaps"}}, "ERROR_ARGUMENT"),
        *(
            (CALL | {"fields": {**FIELDS, key: ""}}, "REQUIRED_FIELD_NO_EXISTS")
            for key in ("NAME", "CONTENT", "SECTIONS", "PREVIEW")
        ),
        (CALL | {"fields": FIELDS | {"CONTENT": "<p onclick='x()'>x</p>"}}, "CONTENT_IS_BAD"),
        (CALL | {"fields": FIELDS | {"CONTENT": "<script>x()</script>"}}, "CONTENT_IS_BAD"),
        (CALL | {"fields": FIELDS | {"CONTENT": "<!-- nothing -->"}}, "CONTENT_IS_BAD"),
        (
            CALL | {"manifest": {"cards": {".c": {"presets": {"a": {"html": "<iframe>"}}}}}},
            "PRESET_CONTENT_IS_BAD",
        ),
        (
            CALL | {"manifest": {**NODES, "style": {"nodes": {".text": {"type": "background"}}}}},
            "MANIFEST_INTERSECT_IMG",
        ),
        (
            CALL | {"manifest": {**NODES, "style": {".text": {"type": ["box", "block-border"]}}}},
            "MANIFEST_INTERSECT_IMG",
        ),
        (CALL | {"manifest": {"block": {"type": ["MAINPAGE"]}}}, "UNSUPPORTED_BLOCK_TYPE"),
        (CALL | {"manifest": {"block": {"subtype": "widget"}}}, "UNSUPPORTED_BLOCK_SUBTYPE"),
    ],
)
def test_a_wrong_block_is_refused(service: Service, params: Any, code: str) -> None:
    before = everything(service)

    assert service.call(REGISTER, params).error == code
    assert everything(service) == before


@pytest.mark.rule("H1", "H2")
def test_H2_harmless_html_is_sanitised_too(service: Service) -> None:
    html = HTML.replace("<p ", '<p made-up="x" ')

    block_id = service.result(REGISTER, CALL | {"fields": FIELDS | {"CONTENT": html}})

    assert _content(service, _add(service, block_id)) == HTML
    (row,) = stored(service, "landing_manifest", code=f"repo_{block_id}")
    assert row["content"] == HTML


@pytest.mark.parametrize("method", [REGISTER, UNREGISTER, WIDGET, "landing.repowidget.unregister"])
def test_another_users_block_is_only_for_administrators(service: Service, method: str) -> None:
    params = {"code": "hello", "fields": WIDGET_FIELDS if "widget" in method else FIELDS}
    service.result(WIDGET if "widget" in method else REGISTER, params, **as_user(VIEWER))
    before = everything(service)

    assert service.call(method, params, **as_user(EDITOR)).error == "ACCESS_DENIED"
    assert everything(service) == before
    assert service.result(method, params)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        (REGISTER, CALL),
        (UNREGISTER, {"code": "hello"}),
        ("landing.repo.getList", {}),
        ("landing.repo.checkContent", {"content": "x"}),
        ("landing.repo.unbind", {"code": "LANDING_SETTINGS"}),
        (WIDGET, {"code": "w", "fields": WIDGET_FIELDS}),
        ("landing.repowidget.getlist", {"params": {}}),
        ("landing.repowidget.unregister", {"code": "w"}),
        ("landing.repowidget.debug", {}),
    ],
)
def test_R1_a_caller_without_access_to_sites_is_refused(
    service: Service, method: str, params: Any
) -> None:
    assert service.call(method, params, **as_user(OUTSIDER)).error == "ACCESS_DENIED"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (BAD, BAD.replace("onclick", "oncl#AAA#ick").replace("<iframe", "<ifr#AAA#ame")),
        ("<a HREF='java&#115;cript:x()'>x</a>", "<a HREF='java#AAA#&#115;cript:x()'>x</a>"),
        ("<svg><set onbegin=x></svg>", "<sv#AAA#g><se#AAA#t onbe#AAA#gin=x></svg>"),
        ("<img src=x onerror=x", "<img src=x oner#AAA#ror=x"),
        ("<p>on a < b and onclick=x, javascript:y</p>", None),
        (HTML, None),
    ],
)
def test_dangerous_parts_are_taken_apart_by_the_splitter(
    service: Service, content: str, expected: str | None
) -> None:
    found = service.result("landing.repo.checkContent", content=content, splitter="#AAA#")

    assert found["is_bad"] == (expected is not None)
    assert found["content"] == (expected or content)


def test_a_parameter_of_a_wrong_type_is_refused(service: Service) -> None:
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("landing.repo.checkContent", {"content": {"a": 1}}),
        ("landing.repo.checkContent", {"content": "x", "splitter": ["x"]}),
        ("landing.repo.getList", {"params": "x"}),
        ("landing.repo.getList", {"params": {"filter": {"NO": 1}}}),
        ("landing.repo.getList", {"params": {"limit": "x"}}),
        (UNREGISTER, {"code": ["x"]}),
    ]
    for method, params in wrong:
        assert service.call(method, params).error == "ERROR_ARGUMENT"
    assert (
        "#SANITIZE#" in service.result("landing.repo.checkContent", content="<i onx=1>")["content"]
    )
    assert service.call("landing.repowidget.getlist", {"params": "x"}).error == "TYPE_ERROR"
    assert service.call("landing.repo.getList", {"params": "x"}).error == "ERROR_ARGUMENT"
    refused = service.call("landing.repowidget.getlist", {"params": {"filter": {"NO": 1}}})
    assert refused.error == "TYPE_ERROR"


def test_there_are_no_placements_and_no_applications(service: Service) -> None:
    assert service.result("landing.repo.unbind", code="LANDING_BLOCK_01.hero") is None
    for code in ("OTHER", ["LANDING_SETTINGS"]):
        assert service.call("landing.repo.unbind", code=code).error == "PLACEMENT_NO_EXIST"
    assert service.call("landing.repowidget.debug", enable=True).error == "APP_NOT_FOUND"
    assert service.result("landing.repowidget.debug") is True


def test_a_widget_is_for_main_pages_and_follows_its_registration(service: Service) -> None:
    block_id = service.result(WIDGET, {"code": "w", "fields": WIDGET_FIELDS})
    added = _add(service, block_id, lid=20, scope="MAINPAGE")

    assert _content(service, added) == '<div class="w"><p>{{count}}</p></div>'
    wrong_page = {"lid": PAGE, "fields": {"CODE": f"repo_{block_id}"}}
    assert service.call("landing.landing.addblock", wrong_page).error == "BLOCK_CANT_BE_ADDED"
    changed = WIDGET_FIELDS | {"CONTENT": '<div class="w">New</div>'}
    assert service.result(WIDGET, {"code": "w", "fields": changed}) == block_id
    assert _content(service, added) == '<div class="w">New</div>'
    (row,) = service.result("landing.repowidget.getlist", {"params": {}})
    assert row["MANIFEST"]["block"]["subtype_params"] == WIDGET_FIELDS["WIDGET_PARAMS"]
    assert service.result("landing.repowidget.unregister", code="w") is True
    assert service.result("landing.repowidget.unregister", code="w") is False


def test_a_widget_with_missing_parts_is_refused(service: Service) -> None:
    for name in ("NAME", "PREVIEW", "CONTENT", "SECTIONS", "WIDGET_PARAMS"):
        fields = {key: value for key, value in WIDGET_FIELDS.items() if key != name}
        refused = service.call(WIDGET, {"code": "w", "fields": fields})
        assert refused.error == "REQUIRED_FIELD_NO_EXISTS"
    for name in ("rootNode", "handler", "demoData"):
        params = {k: v for k, v in WIDGET_FIELDS["WIDGET_PARAMS"].items() if k != name}  # type: ignore[attr-defined]
        refused = service.call(
            WIDGET, {"code": "w", "fields": WIDGET_FIELDS | {"WIDGET_PARAMS": params}}
        )
        assert refused.error == "REQUIRED_PARAM_NO_EXISTS"


LOOKS_AROUND = "p:has(~ p:has(~ p:has(~ b)))"
MANIFESTS: list[dict[str, Any]] = [
    {"nodes": {LOOKS_AROUND: {"type": "text"}}},
    {"cards": {LOOKS_AROUND: {"name": "Card"}}},
    {"attrs": {".text": [{"attribute": "title", "selector": LOOKS_AROUND}]}},
    {"style": {"nodes": {LOOKS_AROUND: {"type": "box"}}}},
    {"menu": {LOOKS_AROUND: {"item": ".a"}}},
    {"meaning": {"type": "article", "title": LOOKS_AROUND}},
    {"nodes": {"." + "a" * 300: {"type": "text"}}},
    {"nodes": {f".n{number}": {"type": "text"} for number in range(600)}},
]


@pytest.mark.rule("B18")
@for_each("manifest", MANIFESTS)
def test_B18_an_unsupported_selector_is_refused(service: Service, manifest: dict[str, Any]) -> None:
    refused = service.call(REGISTER, code="hello", fields=FIELDS, manifest=manifest)

    assert (refused.status, refused.error) == (400, "ERROR_ARGUMENT")
    assert stored(service, "landing_manifest", code="repo_1") == []


@pytest.mark.rule("B18")
def test_B18_a_refused_selector_of_an_old_row_is_ignored(make_service: MakeService) -> None:
    nodes = {LOOKS_AROUND: {"type": "text"}, "b": {"type": "text"}}
    html = "<section>" + "<p>" * 12_000 + "<b>x</b></section>"
    old = {"code": "old.row", "manifest": {"nodes": nodes, "style": {"nodes": nodes}}}
    service = make_service(
        world=world(page(PAGE, block(100, code="old.row", content=html)), manifests=[old])
    )
    edit: dict[str, Any] = {"lid": PAGE, "block": 100}

    refused = service.call("landing.block.updatenodes", **edit, data={LOOKS_AROUND: "Changed"})
    assert refused.error == "NODES_NOT_FOUND"
    assert service.result("landing.block.updatenodes", edit | {"data": {"b": "Changed"}}) is True
    assert LOOKS_AROUND not in str(service.result("landing.site.fullExport", {"id": 7}))
    assert LOOKS_AROUND not in str(
        service.result("landing.block.getmanifest", edit | {"params": {"edit_mode": True}})
    )


SCRIPTS = [
    "javascript:alert(1)",
    " JavaScript:x",
    "java\nscript:x",
    "vbscript:x",
    "data:text/html,x",
]


@for_each("address", SCRIPTS)
def test_H1_an_address_that_runs_a_script_is_not_answered(service: Service, address: str) -> None:
    manifest = {
        **NODES,
        "block": {"preview": address, "links": [address], "of": {"deep": {"handler": address}}},
        "assets": {"css": [address], "js": [address]},
    }
    fields = FIELDS | {"PREVIEW": address, "NAME": "JavaScript: the boats"}
    block_id = service.result(REGISTER, code="hello", fields=fields, manifest=manifest)
    widget = WIDGET_FIELDS | {"PREVIEW": address}
    params = {"rootNode": ".w", "demoData": {}, "handler": address}
    service.result(WIDGET, code="w", fields=widget | {"WIDGET_PARAMS": params})

    lists = [
        service.result("landing.repo.getlist"),
        service.result("landing.repowidget.getlist", {"params": {"select": ["*"]}}),
        service.result("landing.block.getrepository", section="cover"),
        service.result("landing.block.getManifestFile", code=f"repo_{block_id}"),
    ]

    assert "script:" not in str(lists).lower().replace("javascript: the boats", "")
    assert "text/html" not in str(lists)
    assert "JavaScript: the boats" in str(lists[0])


def test_an_address_of_a_picture_is_answered(service: Service) -> None:
    for address in ("https://a.example/x.png", "/files/a/x.png", "data:image/png;base64,AA=="):
        service.result(REGISTER, code="hello", fields=FIELDS | {"PREVIEW": address}, manifest=NODES)
        assert service.result("landing.repo.getlist")[0]["PREVIEW"] == address

"""`landing.block.getlist`: the fields that describe each block (contract 2.1; B5, B6, H2)."""

from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.rules import rows
from contract.worlds import CODE, DRAFT, MANIFEST, PAGE, PUBLISHED, block, one_page, page, world
from corpora import read_data

METHOD = "landing.block.getlist"
DRAFT_MODE = {"edit_mode": True, "get_content": True}
PUBLIC_MODE = {"get_content": True}

# The description of a block does not depend on the database.
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def _one(service: Any, params: dict[str, Any]) -> dict[str, Any]:
    (item,) = service.result(METHOD, {"lid": PAGE, "params": params})
    assert isinstance(item, dict)
    return item


@pytest.mark.rule("landing.block.getlist params.get_content", "landing.block.getlist result")
@pytest.mark.parametrize("params", [{}, {"edit_mode": True}, {"get_content": False}])
def test_2_1_without_get_content_a_block_has_six_fields(
    make_service: MakeService, params: dict[str, Any]
) -> None:
    item = _one(make_service(world=one_page()), params)

    assert list(item) == ["id", "lid", "code", "name", "active", "meta"]


@pytest.mark.rule(*rows(METHOD, "params.get_content result.id result.lid result.code result.name"))
@pytest.mark.rule(*rows(METHOD, "result.active result.content result.css result.js"))
def test_2_1_get_content_adds_three_fields(make_service: MakeService) -> None:
    item = _one(make_service(world=one_page(content="<p>x</p>")), PUBLIC_MODE)

    item.pop("meta")
    assert item == {
        "id": PUBLISHED,
        "lid": PAGE,
        "code": CODE,
        "name": "Everything",
        "active": True,
        "content": '<div id="b200" class="block-wrapper block-test-all"><p>x</p></div>',
        "css": ["/assets/a.css", "/assets/b.css"],
        "js": ["/assets/a.js"],
    }


@pytest.mark.rule("B5")
@pytest.mark.parametrize(
    ("code", "css"),
    [
        ("0.menu_02", "block-0-menu-02"),
        ("a:b.c_d-e", "block-a-b-c-d-e"),
        ("plain", "block-plain"),
        ('x" onclick="alert(1)', "block-x&quot; onclick=&quot;alert(1)"),
    ],
)
def test_B5_punctuation_of_the_code_becomes_dashes(
    make_service: MakeService, code: str, css: str
) -> None:
    item = _one(make_service(world=one_page(code=code, content="<p>x</p>")), PUBLIC_MODE)

    assert item["content"] == f'<div id="b200" class="block-wrapper {css}"><p>x</p></div>'


@pytest.mark.rule("B5", "landing.block.getlist result.content")
@pytest.mark.parametrize(
    ("anchor", "params", "start"),
    read_data(__file__, "B5 wrapper", list[tuple[str | None, dict[str, Any], str]]),
)
def test_B5_content_is_in_the_blocks_wrapper(
    make_service: MakeService, anchor: str | None, params: dict[str, Any], start: str
) -> None:
    item = _one(make_service(world=one_page(anchor=anchor)), params)

    assert item["content"].startswith(start)


@pytest.mark.rule("B5", "landing.block.getlist result.active")
def test_B5_an_inactive_block_has_no_published_html(make_service: MakeService) -> None:
    item = _one(make_service(world=one_page(active=False)), PUBLIC_MODE)

    assert (item["active"], item["content"]) == (False, "")


@pytest.mark.rule("B5")
def test_B5_an_inactive_block_has_draft_html(make_service: MakeService) -> None:
    item = _one(make_service(world=one_page(active=False, content="<p>x</p>")), DRAFT_MODE)

    assert (item["active"], "<p>x</p>" in item["content"]) == (False, True)


@pytest.mark.rule("B4", "landing.block.getlist result.content")
def test_2_1_published_html_is_not_the_draft(make_service: MakeService) -> None:
    world = one_page(content="<p>new</p>", published_content="<p>old</p>")
    service = make_service(world=world)

    contents = [_one(service, mode)["content"] for mode in (DRAFT_MODE, PUBLIC_MODE)]

    assert ["<p>new</p>" in contents[0], "<p>old</p>" in contents[1]] == [True, True]
    assert "old" not in contents[0]
    assert "new" not in contents[1]


@pytest.mark.rule(*rows(METHOD, "result.name result.css result.js"))
def test_2_1_a_block_without_a_manifest_is_named_by_its_code(make_service: MakeService) -> None:
    item = _one(make_service(world=one_page(code="un.known")), PUBLIC_MODE)

    assert (item["name"], item["css"], item["js"]) == ("un.known", [], [])


@pytest.mark.rule("B6", "landing.block.getlist result.meta")
@pytest.mark.parametrize(
    ("zone", "made", "changed"),
    [
        ("UTC", "09/13/2024 10:28:08 am", "03/26/2026 12:21:48 pm"),
        ("Europe/Berlin", "09/13/2024 12:28:08 pm", "03/26/2026 01:21:48 pm"),
        ("America/New_York", "09/13/2024 06:28:08 am", "03/26/2026 08:21:48 am"),
        ("Pacific/Kiritimati", "09/14/2024 12:28:08 am", "03/27/2026 02:21:48 am"),
    ],
)
def test_B6_meta_has_twelve_strings_in_the_services_time_zone(
    make_service: MakeService, zone: str, made: str, changed: str
) -> None:
    stamps = {
        "created_at": "2024-09-13T10:28:08Z",
        "modified_at": "2026-03-26T13:21:48+01:00",
        "created_by": 779,
        "modified_by": 1295,
    }
    shown = page(PAGE, block(DRAFT, **stamps), title="Home", template_code="promo", xml_id="x-1")
    built = world(shown) | {"sites": [{"id": 7, "code": "s", "type": "STORE"}]}
    built["sites"][0]["template_code"] = "shell"

    meta = _one(make_service(world=built, time_zone=zone), {"edit_mode": True})["meta"]

    assert meta.pop("FAVORITE_META") in {"", "Array"}
    assert meta == {
        "LID": "10",
        "CREATED_BY_ID": "779",
        "DATE_CREATE": made,
        "MODIFIED_BY_ID": "1295",
        "DATE_MODIFY": changed,
        "SITE_TYPE": "STORE",
        "LANDING_TITLE": "Home",
        "LANDING_TPL_CODE": "promo",
        "SITE_TPL_CODE": "shell",
        "XML_ID": "x-1",
        "DESIGNER_MODE": "",
    }


@pytest.mark.rule("B6")
def test_B6_an_unknown_author_is_zero(make_service: MakeService) -> None:
    meta = _one(make_service(world=one_page()), {"edit_mode": True})["meta"]

    assert (meta["CREATED_BY_ID"], meta["MODIFIED_BY_ID"], meta["LANDING_TPL_CODE"]) == (
        "0",
        "0",
        "",
    )


@pytest.mark.rule("H2")
@pytest.mark.parametrize("params", [DRAFT_MODE, PUBLIC_MODE])
def test_H2_content_stored_under_an_older_policy_is_cleaned(
    make_service: MakeService, params: dict[str, Any]
) -> None:
    service = make_service(world=one_page())
    evil = "<p onclick='x()'>kept</p><script>x()</script>"
    with service.kernel.store.session(writes=True) as session:
        session.execute(sa.text("UPDATE landing_block SET policy = 0, content = :c"), {"c": evil})

    content = _one(service, params)["content"]

    assert content.endswith("<p>kept</p></div>")


@pytest.mark.rule("landing.block.getlist result.name")
def test_2_1_a_changed_manifest_takes_effect(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    _one(service, {})

    service.load({"manifests": [{"code": MANIFEST["code"], "name": "Renamed"}]})

    assert _one(service, {})["name"] == "Renamed"

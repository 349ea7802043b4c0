"""Methods that read a block, a manifest, the repository and saved blocks (B4, B5)."""

from collections.abc import Iterator
from typing import Any

import pytest
from contract.worlds import CODE, EDITOR, PAGE, as_user, block, user
from plugins.blocks.drafts import ONE, OTHER, TWO, add, draft, two_pages

from landyard.testing import Service

HTML = '<section class="landing-block"><h2 class="title">New</h2></section>'
MANIFEST = {
    "code": CODE,
    "name": "All",
    "content": HTML,
    "css": ["/a.css"],
    "js": ["/a.js"],
    "manifest": {
        "block": {"name": "Everything", "section": "text", "type": ["page", "store"]},
        "nodes": {".title": {"type": "text", "name": "Title"}},
        "cards": [],
    },
}
BOUND = {**MANIFEST, "code": "repo_5", "manifest": {"block": {"type": "knowledge"}}}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    users = [user(EDITOR, sites_access=True, rights={"*": ["edit"]})]
    built = two_pages(users=users, manifests=[MANIFEST, BOUND])
    built["pages"][0]["blocks"][1] |= {
        "content": HTML,
        "published_content": "<p>old</p>",
        "published_active": False,
    }
    built["pages"][1]["blocks"].append(block(120, code="repo_5", content=HTML))
    with Service(world=built) as service:
        yield service


def content(service: Service, block_id: int, lid: int = PAGE, **more: Any) -> dict[str, Any]:
    shown = service.result("landing.block.getcontent", {"lid": lid, "block": block_id, **more})
    assert isinstance(shown, dict)
    return shown


@pytest.mark.rule("B4", "B5")
@pytest.mark.parametrize(
    ("block_id", "more", "expected"),
    [
        (
            TWO,
            {"editMode": True},
            f'<div id="block{TWO}" data-id="{TWO}" class="{{}}">{HTML}</div>',
        ),
        (TWO, {"editMode": "Y", "params": {"wrapper_show": False}}, HTML),
        (201, {}, ""),
        (201, {"params": {"force_unactive": 1}}, '<div id="here" class="{}"><p>old</p></div>'),
        (201, {"params": {"force_unactive": 1, "wrapper_show": 0}}, "<p>old</p>"),
    ],
)
def test_B5_content_is_that_of_the_mode(
    service: Service, block_id: int, more: dict[str, Any], expected: str
) -> None:
    shown = content(service, block_id, **more)

    assert shown["content"] == expected.format("block-wrapper block-test-all")
    assert (shown["anchor"], shown["active"], shown["sections"]) == (
        "here",
        block_id == TWO,
        "text",
    )


def test_a_block_is_answered_with_access_repository_id_and_style_sheets(service: Service) -> None:
    shown = content(service, 120, OTHER, editMode=True)

    assert (shown["access"], shown["repoId"], shown["css"]) == ("X", 5, ["/a.css"])


def test_a_manifest_is_answered_whole(service: Service) -> None:
    sent = {"lid": PAGE, "block": TWO, "params": {"edit_mode": True}}
    manifest = service.result("landing.block.getmanifest", sent)

    assert manifest["nodes"] == {".title": {"type": "text", "name": "Title", "code": ".title"}}
    assert [manifest[name] for name in ("cards", "menu", "attrs", "style")] == [{}] * 4
    assert (manifest["block"]["section"], manifest["code"]) == (["text"], CODE)
    assert manifest["assets"]["js"] == ["/a.js"]
    assert content(service, TWO, editMode=True)["manifest"] == manifest


@pytest.mark.parametrize(
    ("code", "html", "manifest"),
    [
        (CODE, HTML, MANIFEST["manifest"]),
        (f"bitrix:{CODE}", HTML, MANIFEST["manifest"]),
        ("no.such", None, []),
        ("", None, []),
    ],
)
def test_a_code_of_the_repository_is_answered_with_its_content(
    service: Service, code: str, html: str | None, manifest: Any
) -> None:
    methods = ("getContentFromRepository", "getmanifestfile")

    found = [service.result(f"landing.block.{name}", {"code": code}) for name in methods]

    assert found == [html, manifest]


def repository(service: Service, **sent: Any) -> Any:
    return service.result("landing.block.getrepository", sent)


def test_the_repository_lists_blocks_for_a_type_of_site(service: Service) -> None:
    sections = repository(service)
    of_text = repository(service, section="text")

    assert {"favourite", "text", "cover"} <= sections.keys()
    assert of_text == sections["text"]
    assert {CODE, "ly.text"} <= of_text["items"].keys()
    assert of_text["items"][CODE]["type"] == ["page", "store"]
    assert CODE not in repository(service, section="text", scope="knowledge")["items"]
    assert [repository(service, section=each) for each in ("no", "")] == [False, False]


def test_each_listed_block_can_be_added(service: Service) -> None:
    codes = {code for each in repository(service).values() for code in each["items"]}
    fields = [{"CODE": code} for code in sorted(codes)]

    added = [
        service.call("landing.landing.addblock", {"lid": OTHER, "fields": it}) for it in fields
    ]

    assert len(codes) > 20
    assert [answer.error for answer in added] == [None] * len(codes)


def test_a_saved_block_belongs_to_its_user(service: Service) -> None:
    meta = {"name": "Mine", "section": ["own", "text"], "preview": 3, "tpl_code": "x"}
    sent = {"lid": PAGE, "block": TWO, "meta": meta}
    saved = service.result("landing.landing.favoriteBlock", sent)
    plain = service.result("landing.landing.favoriteBlock", {"lid": PAGE, "block": TWO})
    code = f"{CODE}@{saved}"

    listed = repository(service)
    assert {code, f"{CODE}@{plain}"} == listed["favourite"]["items"].keys()
    mine = listed["own"]["items"][code]
    assert (mine["name"], mine["id"], mine["favoriteMy"]) == ("Mine", str(saved), True)
    assert (add(service, CODE=code), draft(service, add(service, CODE=code))["content"])[1] == HTML
    others = [
        service.call(name, params, **as_user(EDITOR)).error
        for name, params in (
            ("landing.landing.unFavoriteBlock", {"blockId": saved}),
            ("landing.landing.addblock", {"lid": PAGE, "fields": {"CODE": code}}),
        )
    ]
    assert others == ["BLOCK_NOT_FOUND", "BLOCK_CANT_BE_ADDED"]
    for each in (saved, plain):
        assert service.result("landing.landing.unFavoriteBlock", {"blockId": each}) is True
    assert repository(service)["favourite"]["items"] == {}
    gone = service.call("landing.landing.addblock", {"lid": PAGE, "fields": {"CODE": code}})
    assert gone.error == "BLOCK_CANT_BE_ADDED"


@pytest.mark.rule("B4")
def test_B4_a_single_block_is_answered_as_in_the_list(service: Service) -> None:
    for mode in ({"edit_mode": 1, "get_content": 1}, {"get_content": 1}, {"edit_mode": True}):
        listed = service.result("landing.block.getlist", {"lid": PAGE, "params": mode})
        one = service.result("landing.block.getbyid", {"block": listed[-1]["id"], "params": mode})
        assert one == listed[-1]
    service.result("landing.landing.markdeletedblock", {"lid": PAGE, "block": ONE})
    deleted = {"edit_mode": 1, "deleted": 1}
    found = service.result("landing.block.getbyid", {"block": ONE, "params": deleted})
    assert (found["id"], found["lid"]) == (ONE, PAGE)

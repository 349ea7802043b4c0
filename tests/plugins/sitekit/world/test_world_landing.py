"""The landing lists of a world file are loaded, found again and dumped."""

import json
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import CODE, as_user, block, everything, page, site, stored, user, world
from corpora import read_data

from landyard.testing import Service

BLOCKS = read_data(__file__, "BLOCKS", list[dict[str, Any]])

FULL = read_data(__file__, "FULL", dict[str, Any])


def _load(service: Service, document: dict[str, Any]) -> tuple[int, int, int]:
    done = service.kernel.load(json.dumps(document).encode())
    return done.created, done.updated, done.unchanged


def test_world_a_second_load_writes_nothing(make_service: MakeService) -> None:
    service = make_service(world={})
    created, _, _ = _load(service, FULL)
    before = everything(service)

    again = _load(service, FULL)

    assert again == (0, 0, created)
    assert everything(service) == before


def test_world_dump_and_load_reproduce_the_service(make_service: MakeService) -> None:
    service = make_service(world={})
    _load(service, FULL)
    dumped = b"".join(service.kernel.dump())

    with Service(world=json.loads(dumped)) as copy:
        assert b"".join(copy.kernel.dump()) == dumped


def test_world_a_dump_contains_the_loaded_fields(make_service: MakeService) -> None:
    service = make_service(world={})
    _load(service, FULL)

    dumped = json.loads(b"".join(service.kernel.dump()))

    blocks = {row["id"] or row["published_id"]: row for row in dumped["pages"][0]["blocks"]}
    assert set(blocks) == {100, 101, 102, 202}
    for written in BLOCKS:
        got = blocks[written["id"] or written["published_id"]]
        plain = {key: value for key, value in written.items() if not key.endswith("ed_at")}
        assert {key: got.get(key) for key in plain} == plain
    assert blocks[101]["modified_at"] == "2024-09-14T08:28:08.123456Z"
    assert dumped["users"][1]["rights"] == {"*": ["view"], "8": ["view", "edit"]}
    assert dumped["users"][2]["rights"] == {"7": []}
    assert dumped["users"][3]["rights"] == {"*": []}


def test_world_loading_a_dump_back_changes_nothing(make_service: MakeService) -> None:
    service = make_service(world={})
    _load(service, FULL)
    before = everything(service)

    _, updated, _ = _load(service, json.loads(b"".join(service.kernel.dump())))

    assert updated == 0
    assert everything(service) == before


def test_world_listed_fields_win_and_others_stay(make_service: MakeService) -> None:
    service = make_service(world={})
    _load(service, FULL)
    before = {name: stored(service, name) for name in ("landing_site", "landing_block")}

    _load(
        service,
        {
            "sites": [{"id": 7, "title": "Renamed"}],
            "pages": [{"id": 10, "site": 7, "blocks": [{"id": 101, "anchor": "new"}]}],
        },
    )

    sites = [
        row | ({"title": "Renamed"} if row["id"] == 7 else {}) for row in before["landing_site"]
    ]
    assert stored(service, "landing_site") == sites
    blocks = [
        row | ({"anchor": "new"} if row["id"] == 101 else {}) for row in before["landing_block"]
    ]
    assert stored(service, "landing_block") == blocks


def test_world_new_rights_replace_the_old_set(make_service: MakeService) -> None:
    service = make_service(world=FULL | {"webhooks": [_hook(2)]})

    service.load({"users": [{"id": 2, "rights": {"7": ["edit"]}}]})

    answers = [
        service.call("landing.block.getlist", lid=lid, **as_user(2)).error for lid in (10, 20)
    ]
    assert answers == [None, "LANDING_NOT_EXIST"]


def _hook(user_id: int) -> dict[str, Any]:
    return {"user": user_id, "code": as_user(user_id)["webhook"], "scopes": ["landing"]}


def test_world_ids_left_out_are_assigned_and_found_again(make_service: MakeService) -> None:
    document = {
        "users": [user(1)],
        "sites": [{"id": 7, "code": "a"}, {"code": "b"}],
        "folders": [{"site": 7, "code": "f"}, {"site": 7, "code": "g"}],
        "pages": [
            {"site": 7, "code": "p", "blocks": [{"code": "x"}, {"code": "y"}]},
            {"site": 7, "code": "q", "blocks": [{"code": "z"}]},
        ],
    }
    service = make_service(world={})
    created, _, _ = _load(service, document)

    assert _load(service, document) == (0, 0, created)
    assert [row["code"] for row in stored(service, "landing_site")] == ["a", "b"]
    assert [row["code"] for row in stored(service, "landing_block")] == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("name", "items", "codes"),
    read_data(
        __file__,
        "world given and assigned ids live together",
        list[tuple[str, list[dict[str, Any]], list[str]]],
    ),
)
def test_world_given_and_assigned_ids_do_not_collide(
    make_service: MakeService, name: str, items: list[dict[str, Any]], codes: list[str]
) -> None:
    service = make_service(world={"sites": [{"id": 7, "code": "seven"}]})
    document = {name: items}
    if name == "blocks":
        document = {"pages": [{"id": 10, "site": 7, "code": "p", "blocks": items}]}

    _load(service, document)

    rows = stored(service, f"landing_{name.removesuffix('s')}")
    assert sorted(row["code"] for row in rows if row["code"] != "seven") == codes
    ids = {item[key] for item in items for key in ("id", "published_id") if key in item}
    assert ids <= {row["id"] for row in rows}


@pytest.mark.parametrize("site_id", [1, 999_999_999, 1_000_000_000, 2**31 - 1])
def test_world_rights_on_any_site_are_dumped_and_loaded(
    make_service: MakeService, site_id: int
) -> None:
    rights = {str(site_id): ["view", "edit"]}
    service = make_service(world={})

    _load(service, {"users": [user(2, rights=rights)], "sites": [site(site_id)]})

    assert json.loads(b"".join(service.kernel.dump()))["users"][0]["rights"] == rights


@pytest.mark.rule("H2")
def test_H2_content_goes_through_the_policy(make_service: MakeService) -> None:
    evil = "<p onclick='x()'>kept</p><script>x()</script>"
    service = make_service(
        world=world(
            page(10, {"id": 100, "code": "x", "content": evil, "published_id": 200}),
            page(11, {"id": 110, "code": "x", "published_content": evil, "published_id": 210}),
            manifests=[{"code": "m", "content": evil}],
            templates=[{"code": "t", "blocks": [{"code": "x", "content": evil}]}],
        )
    )

    kept = "<p>kept</p>"
    assert [row["content"] for row in stored(service, "landing_block")] == [kept, "", kept, kept]
    assert stored(service, "landing_manifest")[0]["content"] == kept
    assert stored(service, "landing_template")[0]["blocks"][0]["content"] == kept


def test_world_a_new_block_without_content_gets_that_of_its_type(make_service: MakeService) -> None:
    service = make_service(world=world(page(10, {"id": 100, "code": CODE})))

    assert "landing-block" in stored(service, "landing_block")[0]["content"]
    assert stored(service, "landing_block")[0]["sort"] == 500


def test_B1_a_copy_takes_missing_fields_from_its_draft(make_service: MakeService) -> None:
    more = {"sort": 3, "anchor": "a", "active": False, "params": {"x:y": {"A": 1}}}
    service = make_service(world=world(page(10, block(100, published_id=200, **more))))

    draft, copy = stored(service, "landing_block")
    own = {"id": 200, "public": True, "draft_id": 100}
    assert copy == {**draft, **own}

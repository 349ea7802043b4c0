"""`revision`: a call based on an older revision is merged with later edits, or refused."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import CODE, DRAFT, PAGE, Item, block, everything, page, stored, world
from plugins.blocks.concurrent_edits import begin, merged_world, read
from plugins.blocks.drafts import FAR, ONE, OTHER, THREE, TWO, do, draft, ids, two_pages

from landyard.testing import Service

UPDATE = "landing.landing.update"
CONFLICT = "REVISION_CONFLICT"
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=two_pages())


def revision_of(service: Service, block_id: int = ONE, page_id: int = PAGE) -> Any:
    """The revision of a block's draft."""
    mode = {"edit_mode": True, "get_revision": True}
    items = service.result("landing.block.getlist", {"lid": page_id, "params": mode})
    return next(item["revision"] for item in items if item["id"] == block_id)


def revision_of_page(service: Service) -> Any:
    sent = {"filter": {"ID": PAGE}, "select": ["TITLE"], "get_revision": True}
    [row] = service.result("landing.landing.getList", {"params": sent})
    assert row.keys() == {"TITLE", "DOMAIN_ID", "REVISION"}
    return row["REVISION"]


def change(service: Service, revision: Any = None, **fields: Any) -> Any:
    sent = {"lid": PAGE, "fields": fields} | ({"revision": revision} if revision else {})
    return service.call(UPDATE, sent)


@on_sqlite
def test_revisions_are_answered_only_for_drafts_and_only_on_request(service: Service) -> None:
    params = {"block": ONE, "params": {"edit_mode": True, "get_revision": True}}
    shown = {"lid": PAGE, "block": ONE, "editMode": True, "params": {"get_revision": True}}

    one = service.result("landing.block.getbyid", params)
    assert one["revision"] == revision_of(service)
    assert service.result("landing.block.getcontent", shown)["revision"] == revision_of(service)
    public = {"lid": PAGE, "params": {"get_revision": True}}
    assert "revision" not in service.result("landing.block.getlist", public)[0]
    drafts = {"lid": PAGE, "params": {"edit_mode": True}}
    assert "revision" not in service.result("landing.block.getlist", drafts)[0]


SENT: dict[str, Item] = {
    "updatenodes": {"data": {".title": "New"}},
    "updateattrs": {"data": {".title": {"title": "New"}}},
    "updateStyles": {"data": {".title": {"classList": ["title"]}}},
    "updateCards": {"data": {".card": {"source": [{"value": 0}]}}},
    "updatecontent": {"content": "<p>new</p>"},
    "changeNodeName": {"data": {".title": "h3"}},
    "changeAnchor": {"data": "new"},
    "addcard": {"selector": ".card@0", "content": '<li class="card">new</li>'},
    "clonecard": {"selector": ".card@0"},
    "removecard": {"selector": ".card@0"},
    "showblock": {},
    "hideblock": {},
    "markdeletedblock": {},
    "markundeletedblock": {},
    "deleteblock": {},
}


@on_sqlite
@pytest.mark.parametrize("name", SENT)
@pytest.mark.parametrize("unknown", ["0123456789abcdef.0", []])
def test_an_unknown_revision_is_a_conflict(
    make_service: MakeService, name: str, unknown: Any
) -> None:
    service = make_service(world=merged_world())
    before = everything(service)

    answer = do(service, name, DRAFT, revision=unknown, **SENT[name])

    assert (answer.status, answer.error) == (400, CONFLICT)
    assert everything(service) == before


@on_sqlite
@pytest.mark.parametrize("name", ["upblock", "downblock", "moveblock"])
def test_a_block_that_was_moved_meanwhile_is_not_moved_again(service: Service, name: str) -> None:
    was = revision_of(service, TWO)
    do(service, "moveblock", TWO, params={"AFTER_ID": THREE})
    do(service, "upblock", TWO)
    do(service, "upblock", TWO)  # it is the first one now
    stand = ids(service)

    answer = do(service, name, TWO, revision=was, params={"AFTER_ID": ONE})

    assert answer.error == CONFLICT
    assert answer.body["error_data"]["base"] == ONE
    assert answer.body["error_data"]["theirs"] == 0
    assert ids(service) == stand


@on_sqlite
@pytest.mark.parametrize("name", ["upblock", "downblock", "moveblock"])
def test_a_move_refuses_an_invalid_revision(service: Service, name: str) -> None:
    stand, digest = ids(service), "0" * 16
    nones: list[Any] = [[], {}, "", True, 0, "x.1", digest, f"{digest}.{'9' * 5000}"]

    for none in nones:
        answer = do(service, name, TWO, revision=none, params={"AFTER_ID": THREE})
        assert (none, answer.error) == (none, CONFLICT)
    assert ids(service) == stand


@on_sqlite
def test_moves_of_different_blocks_both_succeed(service: Service) -> None:
    first, last = revision_of(service, ONE), revision_of(service, THREE)
    behind_one, behind_two = ({"AFTER_ID": each} for each in (ONE, TWO))

    assert do(service, "downblock", ONE, revision=first).result
    # A block with another neighbour may have been moved. It only counts if it is not at the wanted
    # place.
    assert do(service, "moveblock", THREE, revision=last, params=behind_two).error == CONFLICT
    assert do(service, "moveblock", THREE, revision=last, params=behind_one).result
    assert do(service, "moveblock", ONE, revision=first, params=behind_two).result
    assert ids(service) == [TWO, ONE, THREE]


@on_sqlite
def test_a_block_that_was_moved_is_not_moved_to_another_page(service: Service) -> None:
    was = revision_of(service)
    do(service, "downblock", ONE)

    assert do(service, "moveblock", ONE, OTHER, revision=was).error == CONFLICT
    assert do(service, "moveblock", ONE, OTHER, revision=revision_of(service)).result


def test_edits_in_different_places_are_merged(make_service: MakeService) -> None:
    service = make_service(world=merged_world())
    was = begin(service, "abc")

    edits: dict[str, Item] = {
        "updatenodes": {"data": {".name@2": "C"}},
        "removecard": {"selector": ".card@0"},
        "updateattrs": {"data": {".title": {"data-x": "1"}}},
        "changeNodeName": {"data": {".title": "h3"}},
        "addcard": {"selector": ".card@1", "content": '<li class="card">new</li>'},
        "changeAnchor": {"data": "here"},
        "hideblock": {},
    }
    for name, sent in edits.items():
        assert do(service, name, DRAFT, revision=was, **sent).result is True

    assert read(service)[0] == (
        '<section class="all">\n  <h3 class="title" data-x="1">Title</h3>\n'
        '  <a class="go" href="/go">Go</a><img class="pic" src="/a.png" alt="pic">\n  <ul>\n'
        '    <li class="card" data-id="b"><b class="name">b</b></li>\n'
        '    <li class="card">new</li>\n'
        '    <li class="card" data-id="c"><b class="name">C</b></li>\n  </ul>\n</section>'
    )
    assert not draft(service, DRAFT)["active"]
    assert draft(service, DRAFT)["anchor"] == "here"


def test_concurrent_edits_of_one_revision_all_survive(make_service: MakeService) -> None:
    service = make_service(world=merged_world())
    cards = "abcdefgh"
    was = begin(service, cards)

    def write(at: int) -> Any:
        return do(service, "updatenodes", DRAFT, data={f".name@{at}": f"new {at}"}, revision=was)

    with ThreadPoolExecutor(len(cards)) as pool:
        answers = list(pool.map(write, range(len(cards))))

    assert [each.result for each in answers] == [True] * len(cards)
    assert all(f"new {at}" in read(service)[0] for at in range(len(cards)))


@on_sqlite
def test_a_conflict_at_the_same_place_answers_all_three_values(make_service: MakeService) -> None:
    service = make_service(world=merged_world())
    was = begin(service, "abc")
    do(service, "updatenodes", DRAFT, data={".title": "Theirs"})
    before = everything(service)

    answer = do(service, "updatenodes", DRAFT, data={".title": "Yours"}, revision=was)

    assert answer.error == CONFLICT
    assert answer.body["error_data"] == {
        "revision": revision_of(service, DRAFT),
        "base": '<h2 class="title">Title</h2>',
        "theirs": '<h2 class="title">Theirs</h2>',
        "yours": '<h2 class="title">Yours</h2>',
    }
    assert everything(service) == before
    again = do(service, "updatenodes", DRAFT, data={".title": "Theirs"}, revision=was)
    assert again.result is True


@on_sqlite
def test_the_conflict_of_a_command_is_answered_in_a_batch(service: Service) -> None:
    was = revision_of(service)
    do(service, "updatenodes", ONE, data={".title": "Theirs"})
    command = f"landing.block.updatenodes?lid={PAGE}&block={ONE}&data[.title]=Yours&revision={was}"

    answer = service.result("batch", {"cmd": {"a": command}})["result_error"]["a"]

    assert answer["error"] == CONFLICT
    assert answer["error_data"]["theirs"].endswith("Theirs</h2>")


@on_sqlite
def test_a_block_edited_meanwhile_is_not_removed(service: Service) -> None:
    was = revision_of(service)
    do(service, "updatenodes", ONE, data={".title": "Theirs"})

    assert do(service, "deleteblock", ONE, revision=was).error == CONFLICT
    assert do(service, "markdeletedblock", ONE, revision=was).error == CONFLICT
    assert do(service, "markdeletedblock", ONE, revision=revision_of(service)).result


@on_sqlite
def test_undone_and_unrecorded_edits_are_found_or_refused(
    service: Service,
) -> None:
    first = revision_of(service)
    do(service, "updatenodes", ONE, data={".title": "Second"})
    second = revision_of(service)
    service.result("landing.landing.history.undo", {"lid": PAGE})
    assert do(service, "updatenodes", ONE, data={".text@1": "Mine"}, revision=second).result
    assert "Second" not in draft(service, ONE)["content"]

    do(service, "updatenodes", ONE, data={".title": "Silent"}, preventHistory=True)
    silent = revision_of(service)
    do(service, "updatenodes", ONE, data={".text@2": "Told"})
    assert do(service, "updatenodes", ONE, data={".text": "One"}, revision=first).result
    assert do(service, "updatenodes", ONE, data={".text@0": "Uno"}, revision=silent).result
    content = draft(service, ONE)["content"]
    assert all(each in content for each in ("Silent", "Mine", "Told", "Uno"))


@on_sqlite
def test_a_merged_edit_is_undone_alone(service: Service) -> None:
    was = revision_of(service)
    do(service, "updatenodes", ONE, data={".title": "Theirs"})
    do(service, "updatenodes", ONE, data={".text@1": "Mine"}, revision=was)

    service.result("landing.landing.history.undo", {"lid": PAGE})

    assert "Theirs" in draft(service, ONE)["content"]
    assert "Mine" not in draft(service, ONE)["content"]


@on_sqlite
def test_parameters_of_components_are_merged_by_name(make_service: MakeService) -> None:
    name = "bitrix:catalog.section"
    manifest = {
        "code": CODE,
        "name": "All",
        "content": "<section></section>",
        "manifest": {
            "nodes": {name: {"type": "component"}},
            "attrs": {name: [{"attribute": each} for each in ("A", "B", "C")]},
        },
    }
    drafts = block(ONE, content="<section></section>")
    service = make_service(world=world(page(PAGE, drafts), manifests=[manifest]))
    was = revision_of(service)

    def set_to(**values: str) -> Any:
        return do(service, "updatenodes", ONE, data={name: {"attrs": values}}, revision=was)

    assert set_to(A="1").result
    assert set_to(B="2").result
    assert set_to(A="3", C="3").error == CONFLICT
    assert draft(service, ONE)["params"] == {name: {"A": "1", "B": "2"}}


def test_fields_of_a_page_are_merged(service: Service) -> None:
    change(service, ADDITIONAL_FIELDS={"METAOG_TITLE": "old", "METAOG_IMAGE": "/a.png"})
    was = revision_of_page(service)

    assert change(service, was, TITLE="Theirs", ADDITIONAL_FIELDS={"METAOG_TITLE": "new"}).result
    assert change(service, was, DESCRIPTION="Mine", CODE="mine").result
    assert change(service, was, ADDITIONAL_FIELDS={"METAOG_IMAGE": ""}, TITLE="Theirs").result

    [row] = stored(service, "landing_page", id=PAGE)
    assert (row["title"], row["description"], row["code"]) == ("Theirs", "Mine", "mine")
    assert row["additional_fields"] == {"METAOG_TITLE": "new"}


@on_sqlite
@pytest.mark.parametrize(
    ("theirs", "yours"),
    [
        ({"TITLE": "Theirs"}, {"TITLE": "Yours"}),
        ({"CODE": "theirs"}, {"CODE": "yours"}),
        ({"SITEMAP": "N"}, {"DESCRIPTION": "Yours", "SITEMAP": "Y"}),
        ({"DELETED": "Y"}, {"DELETED": "N"}),
        ({"ADDITIONAL_FIELDS": {"A": "1"}}, {"ADDITIONAL_FIELDS": {"A": "2"}}),
        ({"ADDITIONAL_FIELDS": {"A": "1"}}, {"ADDITIONAL_FIELDS": {"A": ""}}),
    ],
)
def test_the_same_field_of_a_page_is_a_conflict(
    service: Service, theirs: Item, yours: Item
) -> None:
    change(service, SITEMAP="Y", ADDITIONAL_FIELDS={"A": "0"})
    was = revision_of_page(service)
    change(service, **theirs)
    before = everything(service)

    answer = change(service, was, **yours)

    assert answer.error == CONFLICT
    [field] = answer.body["error_data"]["theirs"]
    assert field.partition(".")[0] in theirs
    assert everything(service) == before


@on_sqlite
@pytest.mark.parametrize("unknown", ["x", [1], "0123456789abcdef.0"])
def test_an_invalid_revision_of_a_page_is_a_conflict(service: Service, unknown: Any) -> None:
    assert change(service, unknown, TITLE="Mine").error == CONFLICT
    assert draft(service, FAR)["page_id"] == OTHER

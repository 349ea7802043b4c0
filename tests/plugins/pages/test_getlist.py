"""`landing.landing.getList`: the filter, order, limits and fields of a list (params of the ORM)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import (
    EVERY_RIGHT,
    OUTSIDER,
    STRANGER,
    VIEWER,
    as_user,
    need_refused,
    page,
    site,
    tree,
    user,
)
from corpora import read_data

from landyard.testing import Service

LIST = "landing.landing.getList"
PAGES = [
    page(51, site=8, title="Ünï 100%", xml_id="a_b", modified_at="2026-02-01T10:00:00Z"),
    page(52, site=8, title="100 boats", xml_id="axb", modified_at="2026-02-02T10:00:00Z"),
    page(
        53,
        site=8,
        created_at="2026-02-03T10:00:00Z",
        modified_at="2026-02-03T10:00:00Z",
        date_public="2026-02-03T10:00:00Z",
    ),
]
USERS = [
    user(VIEWER, sites_access=True, rights={"*": ["view"], "8": []}),
    user(STRANGER, sites_access=True),
    user(OUTSIDER, rights={"*": EVERY_RIGHT}),
]
FILTERS = read_data(__file__, "FILTERS", list[tuple[dict[str, Any], list[int]]])
REFUSED = read_data(__file__, "REFUSED", list[Any])


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=tree(*PAGES, users=USERS))


def ids(service: Service, *, who: int = 1, scope: str | None = None, **params: Any) -> list[int]:
    sent = {"params": {"select": ["ID"], **params}} | ({"scope": scope} if scope else {})
    return [int(row["ID"]) for row in service.result(LIST, sent, **as_user(who))]


def test_a_filter_finds_the_rows_of_its_conditions(service: Service) -> None:
    found = [(sent, ids(service, filter=sent)) for sent, _ in FILTERS]

    assert found == FILTERS


def test_C9_a_meaningless_filter_is_refused(service: Service) -> None:
    need_refused(service, LIST, [(1, {"params": each}, "TYPE_ERROR") for each in REFUSED])


def test_rows_are_ordered_by_the_fields_then_by_id(service: Service) -> None:
    here = {"SITE_ID": 8}

    assert ids(service, filter=here, order={"ID": "DESC"}) == [53, 52, 51, 20]
    assert ids(service, filter=here, order={"DATE_PUBLIC": "desc", "TITLE": "asc"})[0] == 53
    assert ids(service, filter=here, order={"DATE_PUBLIC": "asc"})[-1] == 53
    assert ids(service, filter=here, order={"NOTHING": "asc"}) == [20, 51, 52, 53]


def test_a_limit_and_an_offset_select_a_part_of_the_list(service: Service) -> None:
    here = {"SITE_ID": 8}

    assert ids(service, filter=here, limit=2) == [20, 51]
    assert ids(service, filter=here, limit="1", offset=2) == [52]
    assert ids(service, filter=here, limit=-1, offset=-1) == [20, 51, 52, 53]
    assert ids(service, filter=here, offset=2**70) == []


def test_the_envelope_says_where_a_long_list_continues(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landyard_landing.sites.list_params.MOST", 3)
    sent: dict[str, Any] = {"filter": {"SITE_ID": 8}}

    first = service.call(LIST, {"params": sent}).body
    rest = service.call(LIST, {"params": sent | {"offset": first["next"]}}).body

    assert (len(first["result"]), first["next"], first["total"]) == (3, 3, 4)
    assert [row["ID"] for row in rest["result"]] == ["53"]
    assert rest.keys() == {"result", "time"}
    assert service.call(LIST, {"params": sent | {"limit": 3}}).body.keys() == {"result", "time"}


def test_a_group_contains_each_value_once(service: Service) -> None:
    params = {"group": ["SITE_ID"], "order": {"SITE_ID": "DESC", "ID": "ASC"}, "get_urls": True}

    assert service.result(LIST, {"params": params}) == [
        {"SITE_ID": "8"},
        {"SITE_ID": "7"},
        {"SITE_ID": "6"},
    ]


def test_values_are_texts_flags_and_dates_as_the_platform_writes_them(service: Service) -> None:
    (found,) = service.result(LIST, {"params": {"filter": {"ID": 53}}})

    assert found == read_data(__file__, "WHOLE", dict[str, Any])


def test_additional_values_are_answered_on_request(service: Service) -> None:
    params = {"filter": {"ID": [40, 15]}, "get_urls": 1, "get_preview": "Y", "check_area": True}
    base = service.kernel.settings.base

    area, elsewhere = service.result(LIST, {"params": params | {"select": ["TITLE"]}})

    assert (area.keys(), area["IS_AREA"]) == (elsewhere.keys(), "Y")
    assert elsewhere.keys() == {"TITLE", "DOMAIN_ID", "IS_AREA", "PUBLIC_URL", "PREVIEW"}
    assert (elsewhere["DOMAIN_ID"], elsewhere["IS_AREA"]) == ("6", "N")
    assert area["PUBLIC_URL"] == f"{base}/site-7/page-15/"
    assert elsewhere["PUBLIC_URL"].endswith("://shop.example/page-40/")
    assert service.get(area["PREVIEW"].removeprefix(base)).status_code == 200


def test_R2_R5_only_pages_of_sites_visible_to_the_caller_are_listed(service: Service) -> None:
    everyone = {"DELETED": ["Y", "N"]}

    assert ids(service, who=VIEWER, filter={"SITE_ID": 8}) == []
    assert {30, 51} & {*ids(service, who=VIEWER, filter=everyone)} == set()
    assert {10, 13} <= {*ids(service, who=VIEWER, filter=everyone)}
    assert ids(service, who=VIEWER, scope="knowledge") == [30]
    assert ids(service, scope="PAGE", filter={"SITE_ID": 9}) == []
    assert ids(service, who=STRANGER) == []


def test_R1_without_access_to_sites_nothing_is_listed(service: Service) -> None:
    need_refused(service, LIST, [(OUTSIDER, {}, "ACCESS_DENIED")])


def test_a_site_without_pages_has_an_empty_list(make_service: MakeService) -> None:
    service = make_service(world=tree() | {"pages": []} | {"sites": [site(7)], "folders": []})

    assert service.call(LIST).body["result"] == []


def test_the_list_tells_whether_a_draft_differs_from_the_published_version(
    service: Service,
) -> None:
    """An edited, a new and a removed block each make a difference; publishing ends it."""
    standing: list[tuple[str, str]] = []

    def note() -> None:
        asked = {"params": {"select": ["ID"], "filter": {"ID": made}, "get_publication": True}}
        [row] = service.result(LIST, asked)
        standing.append((row["PUBLISHED"], row["CHANGED"]))

    made = service.result("landing.landing.add", fields={"TITLE": "Pier", "SITE_ID": 7})
    block = service.result("landing.landing.addblock", lid=made, fields={"CODE": "ly.text"})
    note()
    changes = [
        ("landing.block.changeAnchor", {"block": block, "data": "quay"}),
        ("landing.landing.addblock", {"fields": {"CODE": "ly.text"}}),
        ("landing.landing.markdeletedblock", {"block": block}),
    ]
    for method, params in changes:
        service.result("landing.landing.publication", lid=made)
        note()
        service.result(method, lid=made, **params)
        note()

    assert standing == [("N", "N"), *[("Y", "N"), ("Y", "Y")] * 3]


def test_pages_are_filtered_by_their_publication_state(service: Service) -> None:
    """The state is that of `get_publication`, whatever the change was; a page without a version has
    none.
    """
    made = {name: _made(service) for name in ("draft", "published", "edited", "added", "removed")}
    for name, page_id in made.items():
        block = service.result("landing.landing.addblock", lid=page_id, fields={"CODE": "ly.text"})
        if name != "draft":
            service.result("landing.landing.publication", lid=page_id)
        if name == "edited":
            service.result("landing.block.changeAnchor", lid=page_id, block=block, data="quay")
        if name == "added":
            service.result("landing.landing.addblock", lid=page_id, fields={"CODE": "ly.text"})
        if name == "removed":
            service.result("landing.landing.markdeletedblock", lid=page_id, block=block)

    def found(**wanted: str) -> set[str]:
        params = {"filter": {"ID": [*made.values()], **wanted}}
        known = {str(page_id): name for name, page_id in made.items()}
        rows = service.result(LIST, {"params": params})
        assert all("CHANGED" not in row for row in rows)
        return {known[row["ID"]] for row in rows}

    changed = {"edited", "added", "removed"}
    assert found(CHANGED="Y") == changed
    assert found(PUBLISHED="Y", CHANGED="N") == {"published"}
    assert found(PUBLISHED="N") == {"draft"}
    assert found(**{"!CHANGED": "Y"}) == {"published", "draft"}


def _made(service: Service) -> int:
    page_id: int = service.result("landing.landing.add", fields={"TITLE": "Pier", "SITE_ID": 7})
    return page_id

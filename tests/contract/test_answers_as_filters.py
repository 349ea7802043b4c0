"""A value answered by a list, used as a filter condition, finds the same row again (P5, C6)."""

from collections.abc import Iterator
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import block, page, site, stored, world

from landyard.testing import Service

ZONES = ["UTC", "America/New_York", "Asia/Kathmandu"]
LISTS: dict[str, dict[str, Any]] = {
    "landing.landing.getList": {},
    "landing.site.getList": {},
    "landing.site.getFolders": {"siteId": 7},
    "landing.template.getlist": {},
    "landing.repo.getList": {},
    "landing.repowidget.getlist": {},
    "landing.demos.getList": {},
    "landing.demos.getPageList": {"type": "page"},
    "landing.demos.getSiteList": {"type": "page"},
}
FRACTIONS = "2026-03-04T05:06:07.654321Z"
STAMPS: dict[str, Any] = {"created_at": "2026-02-03T17:08:09.000001Z", "modified_at": FRACTIONS}
WORLD = world(
    page(10, block(100), title="Home", date_public=FRACTIONS, **STAMPS),
    page(11, folder=1, title="0", sitemap="N", folder_flag="Y", modified_by=1, **STAMPS),
    page(
        12, block(120, published_id=220, published_content="<p>x</p>"), published=True, active=True
    ),
    page(13, deleted=True),
    sites=[site(8, domain="shop.example", title="Shop", active=False)],
    folders=[
        {"id": 1, "site": 7, "code": "one", "title": "One"},
        {"id": 2, "site": 7, "parent": 1, "code": "two", "title": "Two", "index_page": None},
    ],
    templates=[{"code": "promo", "type": "PAGE", "title": "Promo", "locked": True}],
)
WAYS = {"landing.site.getFolders", "landing.demos.getPageList", "landing.demos.getSiteList"}
"""The lists that take their filter beside `params`, not inside it."""
OFFERED = {"landing.demos.getPageList", "landing.demos.getSiteList"}
DATES = ("DATE_CREATE", "DATE_MODIFY", "DATE_PUBLIC")


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return filled(make_service)


def filled(make_service: MakeService, **settings: Any) -> Service:
    service = make_service(world=WORLD, **settings)
    fields = {
        "NAME": "Ours",
        "CONTENT": "<section>x</section>",
        "SECTIONS": "text",
        "PREVIEW": "https://x.example/p.png",
    }
    service.result("landing.repo.register", code="ours", fields=fields, manifest={})
    widget = fields | {
        "WIDGET_PARAMS": {"rootNode": "#x", "demoData": {}, "handler": "https://x.example/"}
    }
    service.result("landing.repowidget.register", code="ours", fields=widget)
    data = {
        "code": "ours",
        "name": "Ours",
        "type": "page",
        "items": {"home": {"code": "home", "name": "Home"}},
    }
    service.result("landing.demos.register", {"data": data, "params": {}})
    service.result("landing.landing.add", fields={"SITE_ID": 7, "TITLE": "New", "CODE": "new"})
    return service


def listed(service: Service, method: str, wanted: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The rows that a filter finds; None where the list refuses this field."""
    sent = {"filter": wanted} if method in WAYS else {"params": {"filter": wanted}}
    answer = service.call(method, LISTS[method] | sent)
    if "result" not in answer.body:
        assert answer.error in {"TYPE_ERROR", "ERROR_ARGUMENT"}
        return None
    found = answer.result
    return [*found.values()] if isinstance(found, dict) else [*found]


def conditions(method: str, row: dict[str, Any]) -> Iterator[tuple[dict[str, Any], bool]]:
    """Filters built from an answered row, each with whether it must find that row."""
    for field, value in row.items():
        if isinstance(value, dict) or (method in OFFERED and isinstance(value, list)):
            continue
        yield {field: value}, True
        yield {f"={field}": value}, True
        if method in OFFERED:
            continue
        yield {f"@{field}": [value]}, True
        if value not in ("Y", "N"):
            another = "2020-01-01" if field in DATES else "2"
            yield {f"@{field}": [another, value]}, True
        yield {f"!{field}": value}, False
        yield {f"!={field}": value}, False
        yield {f"!@{field}": [value]}, False
        if isinstance(value, str) and (field in DATES or field == "ID" or field.endswith("_ID")):
            yield {f">={field}": value}, True
            yield {f"<={field}": value}, True
            yield {f"><{field}": [value, value]}, True
            yield {f">{field}": value}, False
            yield {f"<{field}": value}, False


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("method", LISTS)
def test_P5_an_answered_value_finds_its_row(
    make_service: MakeService, method: str, zone: str
) -> None:
    service = filled(make_service, time_zone=zone)
    rows = listed(service, method, {})
    assert rows
    wrong = []
    untaken = []
    for row in rows:
        for wanted, finds in conditions(method, row):
            found = listed(service, method, wanted)
            if found is None:
                untaken.append(next(iter(wanted)))
            elif (row in found) is not finds:
                wrong.append(wanted)

    assert wrong == []
    assert {each.lstrip("!=<>@") for each in untaken} <= {"MANIFEST", "DATA"}


def test_P5_a_sync_by_the_last_date_loses_and_repeats_no_row(service: Service) -> None:
    params = {"order": {"DATE_MODIFY": "ASC"}, "select": ["ID", "DATE_MODIFY"]}
    rows = service.result("landing.landing.getList", {"params": params})

    for row in rows:
        date, seen = row["DATE_MODIFY"], [each["DATE_MODIFY"] for each in rows]
        newer = service.result(
            "landing.landing.getList", {"params": params | {"filter": {">DATE_MODIFY": date}}}
        )
        until = service.result(
            "landing.landing.getList", {"params": params | {"filter": {"<=DATE_MODIFY": date}}}
        )
        assert [*until, *newer] == rows
        assert seen.count(date) == [each["DATE_MODIFY"] for each in until].count(date)


def test_P5_ambiguous_local_times_at_the_end_of_summer_time_find_their_rows(
    make_service: MakeService,
) -> None:
    # 01:30 am occurs twice in New York on that day: at 05:30 and at 06:30 UTC.
    moments = [f"2026-11-01T0{hour}:30:00Z" for hour in (4, 5, 6, 7)]
    pages = [page(20 + n, modified_at=each, code=f"p{n}") for n, each in enumerate(moments)]
    service = make_service(world=world(*pages), time_zone="America/New_York")

    def found(key: str) -> list[str]:
        params = {"select": ["ID"], "filter": {key: "11/01/2026 01:30:00 am"}}
        return [row["ID"] for row in service.result("landing.landing.getList", {"params": params})]

    assert found("DATE_MODIFY") == ["21", "22"]
    assert found("!DATE_MODIFY") == ["20", "23"]
    assert found(">DATE_MODIFY") == ["23"]
    assert found("<DATE_MODIFY") == ["20"]
    assert found(">=DATE_MODIFY") == ["21", "22", "23"]
    assert found("<=DATE_MODIFY") == ["20", "21", "22"]


@pytest.mark.parametrize("zone", [*ZONES, "Europe/Berlin"])
@pytest.mark.parametrize(
    "moment",
    [
        "2026-03-04T05:06:07.654321Z",
        "2026-07-04T00:00:00Z",
        "2026-07-04T12:00:00Z",
        "2026-11-01T05:30:00Z",
        "2026-11-01T06:30:00Z",  # in New York the same local time as the line before
        "2026-10-25T01:30:00.5Z",
    ],
)
def test_P5_a_date_sent_back_unchanged_changes_nothing(
    make_service: MakeService, zone: str, moment: str
) -> None:
    service = make_service(world=world(page(10, date_public=moment)), time_zone=zone)
    before = stored(service, "landing_page", id=10)[0]["date_public"]
    (read,) = service.result("landing.landing.getList")

    service.result("landing.landing.update", lid=10, fields={"DATE_PUBLIC": read["DATE_PUBLIC"]})

    assert stored(service, "landing_page", id=10)[0]["date_public"] == before
    assert service.result("landing.landing.getList")[0]["DATE_PUBLIC"] == read["DATE_PUBLIC"]


def test_a_grouped_list_contains_each_answered_date_once(make_service: MakeService) -> None:
    pages = [page(20 + n, modified_at=f"2026-03-04T05:06:07.{n}Z", code=f"p{n}") for n in range(3)]
    service = make_service(world=world(*pages))

    params = {"group": ["DATE_MODIFY"], "order": {"DATE_MODIFY": "DESC"}}

    assert service.result("landing.landing.getList", {"params": params}) == [
        {"DATE_MODIFY": "03/04/2026 05:06:07 am"}
    ]


@pytest.mark.parametrize("method", ["landing.demos.getList", "landing.repo.getList"])
def test_a_documented_example_with_a_group_answers_rows_with_ids(
    service: Service, method: str
) -> None:
    field = "XML_ID" if method == "landing.demos.getList" else "NAME"
    params: dict[str, Any] = {"select": ["ID", field, "DATE_MODIFY"], "filter": {"ACTIVE": "Y"}}
    params |= {"order": {"ID": "DESC"}}

    alone = service.result(method, {"params": params})
    grouped = service.result(method, {"params": params | {"group": ["ACTIVE"]}})

    assert [each | {"ACTIVE": "Y"} for each in alone] == grouped
    assert alone


@pytest.mark.parametrize("method", [each for each in LISTS if each not in WAYS])
def test_rows_can_be_grouped_and_ordered_by_each_field(service: Service, method: str) -> None:
    rows = listed(service, method, {})
    assert rows

    for field in rows[0].keys() - {"MANIFEST"}:
        params = {"group": [field], "order": {field: "DESC"}}
        found = service.result(method, {"params": params})
        values = [each[field] for each in found]
        assert len({*values}) == len(values)
        assert {*values} == {row[field] for row in rows}


YES: list[Any] = [True, 1, 1.0, "Y", "y", "YES", "on", "True", "1"]
NO: list[Any] = [False, 0, "N", "n", "no", "OFF", "false", "0", ""]
NO_FLAGS: list[Any] = ["maybe", "2", 2, "ja", {"a": 1}, "Y "]
FLAGS = [
    ("landing.landing.getList", "SITEMAP"),
    ("landing.landing.getList", "FOLDER"),
    ("landing.landing.getList", "ACTIVE"),
    ("landing.landing.getList", "DELETED"),
    ("landing.landing.getList", "PUBLISHED"),
    ("landing.landing.getList", "CHANGED"),
    ("landing.site.getList", "ACTIVE"),
    ("landing.site.getList", "DELETED"),
    ("landing.site.getFolders", "ACTIVE"),
    ("landing.site.getFolders", "DELETED"),
    ("landing.template.getlist", "ACTIVE"),
    ("landing.repo.getList", "ACTIVE"),
    ("landing.demos.getList", "ACTIVE"),
    ("landing.demos.getList", "SHOW_IN_LIST"),
    ("landing.demos.getPageList", "ACTIVE"),
    ("landing.demos.getPageList", "LOCK_DELETE"),
    ("landing.demos.getSiteList", "AVAILABLE"),
    ("landing.demos.getSiteList", "SINGLETON"),
]


@pytest.mark.parametrize(("method", "field"), FLAGS)
def test_C6_each_spelling_of_a_flag_filters_alike(
    service: Service, method: str, field: str
) -> None:
    yes, no = listed(service, method, {field: "Y"}), listed(service, method, {field: "N"})

    assert yes != no
    assert [each for each in YES if listed(service, method, {field: each}) != yes] == []
    assert [each for each in NO if listed(service, method, {field: each}) != no] == []
    assert [each for each in NO_FLAGS if listed(service, method, {field: each}) is not None] == []


@pytest.mark.parametrize("spelling", [True, 1, "Y", "y", "yes", "on", "1"])
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_C6_each_spelling_of_a_flag_is_stored_alike(
    make_service: MakeService, spelling: Any
) -> None:
    service = make_service(world=WORLD)
    add, site = "landing.site.addFolder", {"siteId": 7}

    folder = service.result(add, site, fields={"TITLE": "New", "ACTIVE": spelling})
    changed = {"TITLE": "One", "ACTIVE": spelling}
    service.result("landing.site.updateFolder", site, folderId=1, fields=changed)
    drafts = _exported(service, {"edit_mode": spelling})

    shown = service.result("landing.site.getFolders", site, filter={"ACTIVE": "Y"})
    assert {str(folder), "1"} <= {each["ID"] for each in shown}
    assert drafts == _exported(service, {"edit_mode": "Y"})
    assert drafts != _exported(service, {"edit_mode": "N"})


def _exported(service: Service, params: dict[str, Any]) -> Any:
    return service.result("landing.site.fullExport", {"id": 7, "params": params})

"""Sites are made, changed, trashed and removed: codes, domains, limits, events."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import (
    EDITOR,
    VIEWER,
    as_user,
    block,
    everything,
    need_refused,
    page,
    site,
    stored,
    user,
    world,
)

import landyard_content
import landyard_landing
import landyard_public
import landyard_sitekit
import landyard_sites
from landyard import Plugin, Subscriber, hookimpl
from landyard.testing import Service
from landyard_landing.events import SiteEvent

ADD, UPDATE, DELETE = (f"landing.site.{name}" for name in ("add", "update", "delete"))
NOW = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)
WORLD = world(
    page(10, block(100)),
    page(11, active=True, published=True),
    page(20, site=8),
    sites=[
        site(8, domain="eight.example"),
        site(9, domain="nine.example", deleted=True),
        site(6, type="KNOWLEDGE"),
    ],
    users=[
        user(VIEWER, sites_access=True, rights={"*": ["view"]}),
        user(EDITOR, sites_access=True, rights={"*": ["edit"]}),
    ],
)


def _row(service: Service, site_id: int) -> dict[str, Any]:
    return stored(service, "landing_site", id=site_id)[0]


def _listed(service: Service, wanted: Any = None) -> list[str]:
    params = {"select": ["ID"], "filter": wanted or {}}
    return [row["ID"] for row in service.result("landing.site.getList", {"params": params})]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=WORLD, now=NOW)


def test_a_new_site_is_hidden_and_has_a_code_of_its_own(service: Service) -> None:
    wanted = [("Ünï Sité", "", "uni-site"), ("x", "/shop/", "shop"), ("x", "shop", "shop2")]
    wanted += [("x", "shop", "shop3"), ("x", "42", "site42"), ("x", "rest", "rest2")]
    wanted += [("x", "a b?", "a-b"), ("x", "site-7", "site-72")]

    for title, code, expected in wanted:
        site_id = service.result(ADD, fields={"TITLE": title, "CODE": code})
        row = _row(service, site_id)
        assert (row["code"], row["active"], row["created_by"]) == (expected, False, 1)


def test_a_user_who_may_edit_all_sites_may_add_one(service: Service) -> None:
    made = service.result(ADD, fields={"TITLE": "x"}, **as_user(EDITOR))

    assert service.result("landing.site.getRights", id=made, **as_user(EDITOR)) == ["read", "edit"]
    assert stored(service, "landing_right") == []
    assert service.call(ADD, fields={"TITLE": "x"}, **as_user(VIEWER)).error == "ACCESS_DENIED"


def test_R5_the_scope_is_the_type(service: Service) -> None:
    for kind in ("KNOWLEDGE", "knowledge"):
        made = service.result(ADD, scope=kind, fields={"TITLE": "x", "TYPE": kind})
        assert _row(service, made)["type"] == "KNOWLEDGE"
    assert _row(service, service.result(ADD, fields={"TITLE": "x", "TYPE": "no"}))["type"] == "PAGE"
    need_refused(
        service,
        ADD,
        [
            (1, {"fields": {"TITLE": "x", "TYPE": "GROUP"}}, "ACCESS_DENIED"),
            (1, {"scope": "GROUP", "fields": {"TITLE": "x", "TYPE": "PAGE"}}, "ACCESS_DENIED"),
            (1, {"scope": "nothing", "fields": {"TITLE": "x"}}, "ACCESS_DENIED"),
        ],
    )


WRONG: dict[str, list[dict[str, Any]]] = {
    "DOMAIN_NOT_FOUND": [{"DOMAIN_ID": 99}, {"DOMAIN_ID": "7"}],
    "DOMAIN_IS_INCORRECT": [{"DOMAIN_ID": "a b"}, {"DOMAIN_ID": []}, {"DOMAIN_ID": "http://a/"}],
    "DOMAIN_EXIST_TRASH": [{"DOMAIN_ID": "nine.example"}, {"DOMAIN_ID": 9}],
    "DOMAIN_EXIST": [{"DOMAIN_ID": "Eight.example"}, {"DOMAIN_ID": "8"}],
    "DOMAIN_DISABLE": [{"DOMAIN_ID": "127.0.0.1:8000"}],
    "SLASH_IS_NOT_ALLOWED": [{"CODE": "a/b"}],
}


def test_C1_wrong_fields_are_refused_and_leave_no_trace(service: Service) -> None:
    cases = [
        (1, {"fields": {"TITLE": "x", **of}}, code) for code, all_ in WRONG.items() for of in all_
    ]
    need_refused(service, ADD, cases)
    need_refused(service, UPDATE, [(who, {"id": 7, **sent}, code) for who, sent, code in cases])
    taken = [{"CODE": "site-8"}, {"CODE": "/rest/"}]
    need_refused(
        service,
        UPDATE,
        [(1, {"id": 7, "fields": fields}, "CODE_IS_NOT_UNIQUE") for fields in taken]
        + [
            (1, {"id": 7, "fields": {name: 20}}, "ACCESS_DENIED")
            for name in ("LANDING_ID_INDEX", "LANDING_ID_404", "LANDING_ID_503")
        ]
        + [
            (1, {"id": 7, "fields": {"TYPE": "GROUP"}}, "ACCESS_DENIED"),
            (1, {"id": 6, "fields": {"TITLE": "x"}}, "ACCESS_DENIED"),
            (EDITOR, {"id": 7, "fields": {"TITLE": "x"}}, "ACCESS_DENIED"),
            (1, {"id": 7}, "MISSING_PARAMS"),
        ],
    )
    for fields in ({"CODE": "x"}, {"TITLE": {"0": "x"}}, {"TITLE": ["x"]}):
        need_refused(service, ADD, [(1, {"fields": fields}, "MISSING_PARAMS")])


def test_an_update_changes_what_is_sent(service: Service) -> None:
    sent = {
        "TITLE": "New",
        "CODE": "/new/",
        "TYPE": "store",
        "DOMAIN_ID": "New.example",
        "DESCRIPTION": "D",
        "XML_ID": "X",
        "LANDING_ID_INDEX": 10,
        "LANDING_ID_404": "11",
        "LANDING_ID_503": 0,
        "ADDITIONAL_FIELDS": {"A": "1", "B": ["x"], "C": ""},
    }
    before = _row(service, 7)

    assert service.result(UPDATE, id=7, fields=sent) is True

    after = _row(service, 7)
    assert {name: value for name, value in after.items() if value != before[name]} == {
        "title": "New",
        "code": "new",
        "type": "STORE",
        "domain": "new.example",
        "description": "D",
        "xml_id": "X",
        "main_page_id": 10,
        "page_404_id": 11,
        "additional_fields": after["additional_fields"],
        "modified_by": 1,
    }
    assert service.result("landing.site.getadditionalfields", id=7) == {"A": "1", "B": ["x"]}
    more = {"DOMAIN_ID": 7, "CODE": "new", "ADDITIONAL_FIELDS": {"A": "", "B": None}}
    service.result(UPDATE, id=7, fields=more)
    service.result(UPDATE, id=8, fields={"DOMAIN_ID": ""})
    assert service.result("landing.site.getadditionalfields", id=7) == {"B": ["x"]}
    urls = service.result("landing.site.getPublicUrl", id=[7, 8, 6, 9, 99])
    assert urls == {"7": "http://new.example", "8": "http://127.0.0.1:8000/site-8"}


def test_P8_a_site_is_trashed_and_restored(service: Service) -> None:
    mark = "landing.site.markDelete"
    assert service.result(mark, id=7) == 7
    trashed = _row(service, 7)
    assert (trashed["active"], trashed["deleted"], str(trashed["deleted_at"])[:19]) == (
        False,
        True,
        "2026-03-01 12:00:05",
    )
    before = everything(service)
    assert service.result(mark, id=7) == 7  # it is already so
    assert everything(service) == before
    gone = [
        ("landing.block.getlist", {"lid": 10}, "LANDING_NOT_EXIST"),
        ("landing.landing.move", {"lid": 20, "toSiteId": 7}, "ACCESS_DENIED"),
        ("landing.landing.addByTemplate", {"siteId": 7, "code": "event"}, "SITE_ERROR"),
        ("landing.site.publication", {"id": 7}, "ACCESS_DENIED"),
        ("landing.site.addFolder", {"siteId": 7, "fields": {"TITLE": "x"}}, "ACCESS_DENIED"),
    ]
    assert [(m, sent, service.call(m, sent).error) for m, sent, _ in gone] == gone
    assert _listed(service) == ["8"]
    assert _listed(service, {"=DELETED": "Y"}) == ["7", "9"]
    assert service.result(UPDATE, id=7, fields={"TITLE": "In the trash"}) is True

    assert service.result("landing.site.markUnDelete", id=7) == 7
    restored = _row(service, 7)
    assert (restored["active"], restored["deleted"], restored["deleted_at"]) == (False, False, None)


def test_a_site_with_pages_cannot_be_deleted(service: Service) -> None:
    need_refused(
        service, DELETE, [(1, {"id": 7}, "SITE_IS_NOT_EMPTY"), (EDITOR, {"id": 9}, "ACCESS_DENIED")]
    )

    assert service.result(DELETE, id=9) is True
    assert stored(service, "landing_site", id=9) == []


def test_an_operator_limits_sites_and_public_pages(make_service: MakeService) -> None:
    limits: dict[str, Any] = {"sites": {"most": 3}, "publication": {"most_pages": 2}}
    service = make_service(world=WORLD, **limits)
    add = {"fields": {"TITLE": "x"}}

    need_refused(service, ADD, [(1, add, "SITE_LIMIT_REACHED")])
    need_refused(service, "landing.site.markUnDelete", [(1, {"id": 9}, "TOTAL_SITE_REACHED")])
    need_refused(service, "landing.site.markDelete", [(1, {"id": 9, "mark": 0}, "ACCESS_DENIED")])
    assert service.result("landing.site.publication", id=7) == 7
    need_refused(service, "landing.site.publication", [(1, {"id": 8}, "PUBLIC_PAGE_REACHED")])


def test_an_operator_limits_public_sites(make_service: MakeService) -> None:
    service = make_service(world=WORLD, publication={"most_sites": 1})

    need_refused(service, "landing.site.publication", [(1, {"id": 7}, "PUBLIC_SITE_REACHED")])


def test_B1_a_site_is_published_and_hidden_with_all_its_pages(service: Service) -> None:
    def shown() -> list[int]:
        return [row["id"] for row in stored(service, "landing_page") if row["active"]]

    service.load({"sites": [{"id": 7, "active": False}], "pages": [page(12, deleted=True)]})
    assert service.result("landing.site.publication", id=7) == 7
    assert (shown(), _row(service, 7)["active"]) == ([10, 11], True)
    assert service.get("/site-7/page-10/").status_code == 200
    assert service.result("landing.site.unpublic", id=7) == 7
    assert (shown(), _row(service, 7)["active"]) == ([], False)
    assert service.result("landing.block.getlist", lid=10) != []


def test_new_rights_replace_the_old_ones(service: Service) -> None:
    rights = {"AU": ["read"], f"U{VIEWER}": ["sett", "x"], "G1": ["edit"], "U99": ["edit"]}
    service.load({"users": [{"id": EDITOR, "rights": {"7": []}}]})

    assert service.result("landing.site.setRights", id=7, rights=rights) is True

    def of(who: int) -> Any:
        return service.call("landing.site.getRights", id=7, **as_user(who)).body.get("result")

    assert [of(VIEWER), of(EDITOR)] == [["read", "sett"], ["read"]]
    service.result("landing.site.setRights", id=7, rights={f"U{EDITOR}": ["denied"]})
    assert [of(VIEWER), of(EDITOR)] == [["read"], None]
    assert service.call("landing.site.setRights", id=7, rights="x").error == "MISSING_PARAMS"
    service.result("landing.site.setRights", id=7, rights=[])
    assert stored(service, "landing_right") == []


class Listener:
    def __init__(self) -> None:
        self.heard: list[SiteEvent] = []

    @hookimpl
    def register_subscribers(self) -> Iterable[Subscriber]:
        return [Subscriber(SiteEvent, lambda _, event: self.heard.append(event))]


@pytest.fixture
def listening() -> Iterator[tuple[Service, Listener]]:
    listener = Listener()
    plugins: list[Any] = [
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_sites,
        Plugin("site_listener", listener),
    ]
    with Service(plugins, world=WORLD) as service:
        yield service, listener


def test_changes_of_sites_and_folders_publish_events(
    listening: tuple[Service, Listener],
) -> None:
    service, listener = listening
    made = service.result(ADD, fields={"TITLE": "x"})
    folder = service.result("landing.site.addFolder", siteId=made, fields={"TITLE": "x"})
    for name, sent in (
        ("update", {"id": made, "fields": {"TITLE": "y"}}),
        ("publication", {"id": made}),
        ("unpublic", {"id": made}),
        ("updateFolder", {"siteId": made, "folderId": folder, "fields": {"TITLE": "y"}}),
        ("publicationFolder", {"folderId": folder}),
        ("unPublicFolder", {"folderId": folder}),
        ("markFolderDelete", {"id": folder}),
        ("markFolderUnDelete", {"id": folder}),
        ("markDelete", {"id": made}),
        ("markUnDelete", {"id": made}),
        ("delete", {"id": made}),
    ):
        service.result(f"landing.site.{name}", sent)

    assert [each.topic.removeprefix("landing.") for each in listener.heard] == [
        *("site.created", "folder.created", "site.changed", "site.published", "site.unpublished"),
        *("folder.changed", "folder.published", "folder.unpublished", "folder.trashed"),
        *("folder.restored", "site.trashed", "site.restored", "site.deleted"),
    ]
    assert {each.subject for each in listener.heard} == {f"site:{made}"}
    assert {each.user_id for each in listener.heard} == {1}


@pytest.mark.parametrize(
    ("access", "rights", "may"),
    [
        (True, {"*": ["view", "edit"]}, True),
        (True, {"*": ["view"], "7": ["edit"]}, False),
        (True, {"*": ["settings", "publish", "delete"]}, False),
        (False, {"*": ["edit"]}, False),
    ],
)
def test_mayadd_answers_as_add_decides(
    make_service: MakeService, *, access: bool, rights: dict[str, list[str]], may: bool
) -> None:
    caller = user(2, sites_access=access, rights=rights)
    service = make_service(world=world(page(10), users=[caller]))

    answer = service.result("landyard.site.mayadd", **as_user(2))
    made = service.call(ADD, {"fields": {"TITLE": "New"}}, **as_user(2))

    assert (answer, made.error is None) == (may, may)
    # the user is an administrator
    assert service.result("landyard.site.mayadd", {"type": "KNOWLEDGE"}) is True

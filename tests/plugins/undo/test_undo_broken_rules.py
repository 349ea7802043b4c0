"""An undo is refused where its result would break a rule that the database does not enforce (part
11).
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.test_undo import UNDO, rows
from contract.worlds import page, site, world
from msgspec import Struct
from sqlmodel import SQLModel

import landyard_undo
from landyard import Call, MethodGroup, MissingParams, Plugin, Tables, WrongType, hookimpl
from landyard.testing import WEBHOOK, Answer, Service
from landyard_undo.rules import UndoRules

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PAGE, FOLDER, SITE = "landing.landing.update", "landing.site.updateFolder", "landing.site.update"
MOVE = "landing.landing.move"
Step = tuple[str, dict[str, Any]]


def page_of(page_id: int, **fields: Any) -> Step:
    return PAGE, {"lid": page_id, "fields": fields}


def folder_of(folder_id: int, **fields: Any) -> Step:
    return FOLDER, {"siteId": 7, "folderId": folder_id, "fields": fields}


def new_page(code: str) -> Step:
    return "landing.landing.add", {"fields": {"TITLE": "New", "SITE_ID": 7, "CODE": code}}


def new_folder(code: str) -> Step:
    return "landing.site.addFolder", {"siteId": 7, "fields": {"TITLE": "New", "CODE": code}}


def into(folder_id: int, page_id: int = 10) -> Step:
    return MOVE, {"lid": page_id, "toSiteId": 7, "toFolderId": folder_id}


def to(site_id: int, page_id: int = 10) -> Step:
    return MOVE, {"lid": page_id, "toSiteId": site_id}


def trashed(page_id: int) -> Step:
    return "landing.landing.markDelete", {"lid": page_id}


def trashed_folder(folder_id: int) -> Step:
    return "landing.site.markFolderDelete", {"id": folder_id}


def special(page_id: int) -> Step:
    return "landing.syspage.set", {"id": 7, "type": "cart", "lid": page_id}


NO_SPECIAL: Step = ("landing.syspage.deleteForSite", {"id": 7})
OUT_OF_5 = folder_of(6, TITLE="six", CODE="six")
MAIN = (SITE, {"id": 7, "fields": {"LANDING_ID_INDEX": 10}})
OTHER_MAIN = (SITE, {"id": 7, "fields": {"LANDING_ID_INDEX": 11}})
CASES: dict[str, tuple[list[Step], Step, list[Step]]] = {
    "a page has the address of a page": (
        [],
        page_of(10, CODE="moved"),
        [new_page("page-10")],
    ),
    "a page has the address of a folder": (
        [],
        page_of(10, CODE="moved"),
        [new_folder("page-10")],
    ),
    "a page leaves the trash, and another has its address": (
        [],
        trashed(10),
        [new_page("page-10")],
    ),
    "a folder has the address of a folder": (
        [],
        folder_of(5, TITLE="5", CODE="other"),
        [new_folder("five")],
    ),
    "a folder has the address of a page": (
        [],
        folder_of(5, TITLE="5", CODE="other"),
        [new_page("five")],
    ),
    "a folder is in itself": (
        [],
        OUT_OF_5,
        [folder_of(5, TITLE="5", CODE="five", PARENT_ID=6)],
    ),
    "a folder is in one in the trash": ([], OUT_OF_5, [trashed_folder(5)]),
    "a page is in a folder in the trash": ([into(5)], to(7), [trashed_folder(5)]),
    "a page is on a site in the trash": (
        [],
        to(8),
        [("landing.site.markDelete", {"id": 7})],
    ),
    "a page leaves its site, which names it": (
        [],
        to(8),
        [(SITE, {"id": 8, "fields": {"LANDING_ID_404": 10}})],
    ),
    "a page that is a main page goes": (
        [],
        new_page("new"),
        [(SITE, {"id": 7, "fields": {"LANDING_ID_INDEX": 13}})],
    ),
    "a main page is another site's": ([MAIN], OTHER_MAIN, [to(8)]),
    "a main page is in the trash": ([MAIN], OTHER_MAIN, [trashed(10)]),
    "an index page is another site's": (
        [folder_of(5, TITLE="5", INDEX_ID=10)],
        folder_of(5, TITLE="5", INDEX_ID=0),
        [to(8)],
    ),
    "a special page is another site's": ([special(10)], NO_SPECIAL, [to(8)]),
    "a special page is in the trash": ([special(10)], NO_SPECIAL, [trashed(10)]),
}
STILL_FIT: dict[str, tuple[list[Step], Step, list[Step]]] = {
    "a page has another title, its folder is in the trash": (
        [into(5)],
        page_of(10, TITLE="New"),
        [trashed_folder(5), page_of(10, DELETED="N")],
    ),
    "a main page was in the trash before": (
        [MAIN, trashed(11), trashed(12), trashed(10)],
        (SITE, {"id": 7, "fields": {"LANDING_ID_INDEX": 0}}),
        [],
    ),
    "a special page had left its site before": ([special(10), to(8)], NO_SPECIAL, []),
}


@pytest.fixture
def service(make_service: MakeService) -> Service:
    folders = [
        {"id": 5, "site": 7, "code": "five"},
        {"id": 6, "site": 7, "code": "six", "parent": 5},
    ]
    pages = (page(10), page(11), page(12))
    return make_service(world=world(*pages, sites=[site(8)], folders=folders), now=NOW)


def done(service: Service, step: Step) -> Answer:
    service.later(minutes=1)
    answer = service.call(*step)
    assert answer.status == 200, answer.body
    return answer


@pytest.mark.parametrize("case", CASES)
def test_an_undo_that_would_break_a_rule_is_refused(service: Service, case: str) -> None:
    before, step, since = CASES[case]
    for each in before:
        done(service, each)
    output = done(service, step)
    for each in since:
        done(service, each)
    kept = rows(service)

    answer = service.call(UNDO, {"id": output.request_id})

    assert answer.error == "UNDO_CONFLICT"
    assert rows(service) == kept
    (row,) = answer.body["error_data"]["rows"]
    assert f"{row['table']} {row['id']}: " in answer.body["error_description"]


@pytest.mark.parametrize("case", STILL_FIT)
def test_a_state_that_broke_a_rule_before_may_be_restored(service: Service, case: str) -> None:
    before, step, since = STILL_FIT[case]
    for each in before:
        done(service, each)
    kept = rows(service)
    output = done(service, step)
    for each in since:
        done(service, each)

    answer = service.call(UNDO, {"id": output.request_id})

    assert answer.status == 200, answer.body
    assert since or rows(service) == kept


def test_rows_that_were_written_together_are_judged_together(service: Service) -> None:
    kept = rows(service)
    codes = [(10, "tmp"), (11, "page-10"), (10, "page-11")]
    commands = [f"{PAGE}?lid={lid}&fields[CODE]={code}" for lid, code in codes]
    answer = service.call("batch", {"cmd": commands})
    assert not answer.result["result_error"]

    assert service.call(UNDO, {"id": answer.request_id}).status == 200
    assert rows(service) == kept


class Take(Struct, frozen=True):
    """`desk`: a desk's id; `person`: who sits there."""

    desk: int
    person: str


REVISION = """
import sqlalchemy as sa
from alembic import op
revision, down_revision, branch_labels, depends_on = "desks_0001", None, ("desks",), None
def upgrade() -> None:
    op.create_table("desks_desk", sa.Column("id", sa.Integer, primary_key=True),
                    sa.Column("person", sa.String, nullable=False))
    op.execute("INSERT INTO desks_desk VALUES (1, 'Ann'), (2, 'Ben')")
def downgrade() -> None:
    op.drop_table("desks_desk")
"""


class Desks:
    """A plugin with a rule of its own: no person has two desks."""

    desks = MethodGroup(scope="landing")

    def __init__(self, folder: Path) -> None:
        (folder / "desks_0001.py").write_text(REVISION)
        self._folder = folder
        self.asked: list[Any] = []

    @hookimpl
    def register_tables(self) -> Tables:
        return Tables("desks", self._folder, [UndoRules(table="desks_desk", fits=self.fits)])

    @hookimpl
    def register_methods(self) -> MethodGroup:
        return self.desks

    def fits(self, call: Call, row: Any, written: Any, since: datetime) -> str | None:
        self.asked.append((row, written, since))
        query = sa.text("SELECT count(*) FROM desks_desk WHERE person = :person")
        found = call.connection.execute(query, {"person": row["person"]}).scalar_one()
        return f"{row['person']} has a desk." if found > 1 else None


@Desks.desks.method("desk.take", writes=True, errors=[MissingParams, WrongType])
def take(call: Call, params: Take) -> bool:
    """Let a person sit at a desk."""
    change = sa.text("UPDATE desks_desk SET person = :person WHERE id = :id")
    call.connection.execute(change, {"person": params.person, "id": params.desk})
    return True


@pytest.fixture
def desks(tmp_path: Path) -> Iterator[Desks]:
    plugin = Desks(tmp_path)
    columns = (sa.Column("id", sa.Integer, primary_key=True), sa.Column("person", sa.String))
    table = sa.Table("desks_desk", SQLModel.metadata, *columns)
    yield plugin
    SQLModel.metadata.remove(table)


def test_a_plugin_checks_the_rule_of_its_own_table(desks: Desks) -> None:
    built = {"users": [{"id": 1, "name": "Ann", "admin": True}]}
    hooks = [{"user": 1, "code": WEBHOOK, "scopes": ["landing"]}]
    with Service(
        [landyard_undo, Plugin("desks", desks)], world={**built, "webhooks": hooks}, now=NOW
    ) as service:
        left = service.call("desk.take", {"desk": 1, "person": "Cem"})
        other = service.call("desk.take", {"desk": 2, "person": "Ann"})

        refused = service.call(UNDO, {"id": left.request_id})
        service.call(UNDO, {"id": other.request_id})
        fits = service.call(UNDO, {"id": left.request_id})

    assert (refused.error, fits.status) == ("UNDO_CONFLICT", 200)
    assert "desks_desk 1: Ann has a desk." in refused.body["error_description"]
    assert desks.asked[0] == ({"id": 1, "person": "Ann"}, {"person"}, NOW)

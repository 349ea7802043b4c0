"""Finding a free code costs little, for a long title and for many pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from anyascii import anyascii
from conftest import MakeService
from contract.templates import template
from contract.two_calls import on_postgres
from contract.worlds import row, tree

from landyard.testing import Service
from landyard_public import page_lookup

LONG = "漢" * 300_000
READ = 10_000  # characters
MANY = """
    INSERT INTO landing_page (
        site_id, folder_id, code, title, description, active, published, deleted, locked, area,
        rule, sitemap, xml_id, additional_fields, folder_flag, created_at, modified_at,
        created_by, modified_by
    )
    SELECT 7, CASE WHEN n % 2 = 0 THEN 1 END, 'many-' || n, '', '', false, false, false, false,
        false, '', 'Y', '', '{}', 'N', now(), now(), 0, 0
    FROM generate_series(1, 4000) AS n
"""


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of characters transliterated in each call."""
    lengths: list[int] = []

    def noting(text: str) -> str:
        lengths.append(len(text))
        return anyascii(text)

    monkeypatch.setattr("landyard_landing.sites.codes.anyascii", noting)
    return lengths


@pytest.mark.rule("P2")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_P2_a_title_is_read_no_further_than_a_code_needs(
    make_service: MakeService, read: list[int]
) -> None:
    """The site is locked meanwhile."""
    untitled = template(fields={"CODE": None})
    service = make_service(world={**tree(), "templates": [untitled]})
    fields = {"TITLE": LONG, "CODE": "", "FOLDER": "N"}

    service.result("landing.landing.update", lid=18, fields=fields)
    made = service.result(
        "landing.landing.addByTemplate", siteId=7, code="promo", fields={"TITLE": LONG}
    )

    assert read
    assert max(read) <= READ
    assert [row(service, each)["title"] for each in (18, made)] == [LONG, LONG]
    codes = [row(service, each)["code"] for each in (18, made)]
    assert codes[0].startswith(anyascii("漢").lower())
    assert codes[1].startswith(codes[0])  # the code was taken


@contextmanager
def looked_up(service: Service) -> Iterator[list[tuple[str, Any]]]:
    """Collect the statements that look up a page by its code, and their values."""
    engine = service.kernel.store.engine
    found: list[tuple[str, Any]] = []

    def noting(_connection: Any, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if statement.startswith("SELECT") and "landing_page.code = " in statement:
            found.append((statement, values))

    sa.event.listen(engine, "before_cursor_execute", noting)
    yield found
    sa.event.remove(engine, "before_cursor_execute", noting)


def entered(plan: Any) -> dict[str, str]:
    """The columns through which each index of a plan is searched; a fully scanned table stands by
    name.
    """
    own = {}
    if "Index Name" in plan:
        own = {plan["Index Name"]: plan.get("Index Cond", "")}
    elif plan["Node Type"] == "Seq Scan":
        own = {plan["Relation Name"]: ""}
    for below in plan.get("Plans", []):
        own |= entered(below)
    return own


@pytest.mark.rule("P3")
@on_postgres
@pytest.mark.parametrize(
    ("page_id", "place"), [(18, {"toFolderId": 1}), (12, {})], ids=["folder", "root"]
)
def test_P3_a_taken_code_is_found_by_its_address(
    make_service: MakeService, page_id: int, place: dict[str, int]
) -> None:
    service = make_service(world=tree())
    with service.kernel.store.session(writes=True) as session:
        session.execute(sa.text(MANY))
        session.execute(sa.text("ANALYZE landing_page"))

    with looked_up(service) as found:
        service.result("landing.landing.move", lid=page_id, **place)

    ((statement, values),) = found
    with service.kernel.store.engine.connect() as connection:
        explained = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", values)
        indexes = entered(explained.scalar_one()[0]["Plan"])
    assert [name for name in indexes if "folder" not in name] == ["ix_landing_page_address"]
    columns = ("site_id", "folder_id", "code")
    assert [name for name in columns if name not in indexes["ix_landing_page_address"]] == []


@pytest.mark.rule("P11")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_P11_a_missing_address_reads_only_pages_with_a_rule(make_service: MakeService) -> None:
    """A client that asks for random addresses must not cause a scan of the whole site each time."""
    service = make_service(world=tree())
    with service.kernel.store.engine.connect() as connection:
        for _, ruled in (page_lookup._PAGES_AT_ROOT, page_lookup._PAGES_IN_FOLDER):
            text = ruled.statement.compile(connection)  # as it is executed: with separate values
            values = (7,) * len(text.positiontup or ())
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all()
            assert "ix_landing_page_rule" in str(plan)

"""Dumps that name missing pages can be loaded, and the omitted references are reported."""

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from conftest import MakeService
from contract.consistency import assert_movable, assert_rows_belong_together
from contract.documents import SWITCHED_ON
from contract.worlds import page, site, stored, world
from kernel.commands import Run

from landyard.storage.schema import alembic_config
from landyard.testing import Service
from landyard_authoring.database import dangling

WORLD = world(
    page(10),
    page(11, translation_of=10),
    page(12, translation_of=10),
    sites=[site(8)],
    folders=[{"id": 1, "site": 7, "code": "a"}],
)
NAMED = ("main_page_id", "page_404_id", "page_503_id")


def _break(service: Service) -> bytes:
    """Make sites, folders and pages name missing pages; return the dump."""
    with service.kernel.store.unit(writes=True) as unit:
        for column in NAMED:
            unit.connection.execute(sa.text(f"UPDATE landing_site SET {column} = 99 WHERE id = 7"))
        unit.connection.execute(sa.text("UPDATE landing_folder SET index_page_id = 98"))
        unit.connection.execute(sa.text("UPDATE landing_page SET original_id = 97 WHERE id > 10"))
    return b"".join(service.kernel.dump())


def test_a_dump_that_names_missing_pages_is_loaded_without_the_references(
    make_service: MakeService,
) -> None:
    dumped = _break(make_service(world=WORLD))

    with Service(world={}, plugins=SWITCHED_ON) as copy:
        tally = copy.kernel.load(dumped)

        places = {each.partition(": ")[0] for each in tally.notes}
        assert places == {
            *(f"sites[0].{name.removesuffix('_id')}" for name in NAMED),
            "folders[0].index_page",
            "pages[1].translation_of",
            "pages[2].translation_of",
        }
        assert_rows_belong_together(copy)
        originals = {row["id"]: row["original_id"] for row in stored(copy, "landing_page")}
        assert originals == {10: None, 11: 11, 12: 11}
        assert_movable(copy, plugins=SWITCHED_ON)


def test_an_upgrade_removes_references_to_missing_pages(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    _break(service)
    store, schema = service.kernel.store, service.kernel.schema
    (landing,) = (each for each in schema.branches if each.branch == "landing")
    with store.rebuilding() as connection:
        command.downgrade(alembic_config(landing, connection), "landing_0008")

    schema.upgrade(store)

    assert dangling(service.kernel) == []
    (seven, _) = stored(service, "landing_site")
    assert {seven[column] for column in NAMED} == {None}
    originals = {row["id"]: row["original_id"] for row in stored(service, "landing_page")}
    assert originals == {10: None, 11: 11, 12: 11}


def test_load_and_db_check_report_references_to_missing_pages(
    landyard: Run, tmp_path: Path
) -> None:
    with Service(world=WORLD, data=tmp_path) as service:
        (tmp_path / "world.json").write_bytes(_break(service))

    loaded = landyard("load", str(tmp_path / "world.json"))

    assert loaded.exit_code == 0
    assert "sites[0].page_404: there is no page 99" in loaded.stderr
    assert landyard("db", "check").exit_code == 0


def test_db_check_lists_references_to_missing_pages(
    landyard: Run, monkeypatch: Any, tmp_path: Path
) -> None:
    with Service(world=WORLD, data=tmp_path) as service:
        _break(service)
    monkeypatch.setenv("LANDYARD_DATA", str(tmp_path))

    checked = landyard("db", "check")

    assert checked.exit_code == 1
    assert set(checked.stderr.splitlines()[1:]) == {
        *(f"  landing_site 7: {column} 99" for column in NAMED),
        "  landing_folder 1: index_page_id 98",
        *(f"  landing_page {each}: original_id 97" for each in (11, 12)),
    }

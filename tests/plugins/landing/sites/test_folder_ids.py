"""On SQLite the id of a deleted folder is never given to another one."""

from pathlib import Path
from typing import Any

from alembic import command
from contract.worlds import page, site, world

from landyard.storage.schema import alembic_config
from landyard.testing import Service
from landyard_authoring.database import drift

FOLDERS = [
    {"id": 5, "site": 7, "code": "five"},
    {"id": 6, "site": 7, "code": "six", "parent": 5},
]


def query(service: Service, text: str) -> list[Any]:
    with service.kernel.store.unit(writes=False) as unit:
        return [tuple(row) for row in unit.connection.exec_driver_sql(text)]


def add(service: Service, site_id: int, code: str) -> Any:
    fields = {"TITLE": "New", "CODE": code}
    return service.call("landing.site.addFolder", {"siteId": site_id, "fields": fields})


def test_a_restored_page_comes_into_no_folder_of_another_site() -> None:
    with Service(world=world(page(10), sites=[site(8)])) as service:
        made = add(service, 7, "a")
        move = {"lid": 10, "toSiteId": 7}
        service.result("landing.landing.move", {**move, "toFolderId": made.result})
        moved = service.call("landing.landing.move", move)
        service.result("landyard.call.undo", {"id": made.request_id})
        other = add(service, 8, "b").result

        undone = service.call("landyard.call.undo", {"id": moved.request_id})

        assert other > made.result
        assert undone.error == "UNDO_CONFLICT"
        assert query(service, "SELECT folder_id FROM landing_page") == [(None,)]


def test_a_database_of_the_previous_version_keeps_its_folders(tmp_path: Path) -> None:
    built = world(page(10, folder=6), folders=FOLDERS)
    with Service(world=built, data=tmp_path) as service:
        rows = "SELECT * FROM landing_folder ORDER BY id"
        triggers = (
            "SELECT name, sql FROM sqlite_master"
            " WHERE type = 'trigger' AND tbl_name = 'landing_folder' ORDER BY name"
        )
        kept = query(service, rows), query(service, triggers)
        store, schema = service.kernel.store, service.kernel.schema
        (landing,) = (each for each in schema.branches if each.branch == "landing")
        with store.rebuilding() as connection:
            command.downgrade(alembic_config(landing, connection), "landing_0005")
            assert connection.exec_driver_sql("PRAGMA legacy_alter_table").scalar() == 0
        behind = schema.behind(store)
        assert behind[:3] == ["landing_0006", "landing_0007", "landing_0008"]
        assert (query(service, rows), query(service, triggers)) == kept

        schema.upgrade(store)

        assert (query(service, rows), query(service, triggers)) == kept
        assert drift(service.kernel) == []
        assert query(service, "SELECT folder_id FROM landing_page") == [(6,)]
        assert add(service, 7, "seven").result == 7

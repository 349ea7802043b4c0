"""The version of the public data changes with every row and column that pages are made from
(P11).
"""

from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.worlds import DRAFT, PAGE, PUBLISHED, one_page, page, site
from kernel import statements
from plugins.public.changes import run, version

from landyard_landing import tables

PATH = "/site-7/page-10/"
pytestmark = pytest.mark.rule("P11")

READ = (tables.SITES, tables.FOLDERS, tables.PAGES, tables.BLOCKS, tables.MANIFESTS)
OTHERS = {"site_id": "8", "folder_id": "2", "parent_id": "2", "page_id": "11"}


def _full(**more: Any) -> dict[str, Any]:
    """A world with a row in every table, and further rows that references can change to."""
    built = one_page()
    built["pages"] += [page(11, active=True, published=True)]
    built["sites"] += [site(8)]
    built["folders"] = [{"id": 1, "site": 7, "code": "one"}, {"id": 2, "site": 7, "code": "two"}]
    return {**built, **more}


def _another(column: sa.Column[Any]) -> str:
    """An SQL expression for a value that differs from the row's."""
    if column.name in OTHERS:
        return OTHERS[column.name]
    match column.type:
        case sa.Boolean():
            return f"NOT {column.name}"
        case sa.Integer():
            return f"COALESCE({column.name}, 0) + 1"
        case sa.JSON():
            return "'{\"x\": 1}'"
        case sa.TypeDecorator():
            return "'2001-02-03 04:05:06'"
        case _:
            return f"COALESCE({column.name}, '') || 'x'"


def test_P11_a_change_of_any_column_is_a_new_version(make_service: MakeService) -> None:
    service = make_service(world=_full())
    ids = {"landing_site": 7, "landing_folder": 1, "landing_page": PAGE, "landing_block": PUBLISHED}
    columns = [column for table in READ for column in table.columns]
    unnoticed = []

    for column in columns:
        if column.name == "id":
            continue
        table = column.table.name
        row = f"id = {ids[table]}" if table in ids else "code = 'test.all'"
        before = version(service)
        run(service, f"UPDATE {table} SET {column.name} = {_another(column)} WHERE {row}")
        if version(service) == before:
            unnoticed.append(f"{table}.{column.name}")
        if column.name in {"active", "public", "published", "deleted"}:
            run(service, f"UPDATE {table} SET {column.name} = NOT {column.name} WHERE {row}")
        if column.name == "code" and table == "landing_manifest":
            run(service, f"UPDATE {table} SET code = 'test.all'")

    assert len(columns) > 50
    assert unnoticed == []


def test_P11_a_row_added_or_removed_is_a_new_version(make_service: MakeService) -> None:
    service = make_service(world=_full())
    versions = [version(service)]

    for statement in (
        (
            "INSERT INTO landing_site SELECT 70, 'x', type, title, domain, main_page_id,"
            " template_code, active, deleted, deleted_at, description, xml_id, page_404_id,"
            " page_503_id, view_template, additional_fields, created_at, modified_at, created_by,"
            " modified_by, language, theme, theme_tokens FROM landing_site WHERE id = 8"
        ),
        (
            "INSERT INTO landing_folder SELECT 70, 70, parent_id, 'x', title, index_page_id,"
            " active, deleted, deleted_at, created_at, modified_at, created_by, modified_by"
            " FROM landing_folder WHERE id = 1"
        ),
        "DELETE FROM landing_folder WHERE id = 70",
        "DELETE FROM landing_site WHERE id = 70",
        "DELETE FROM landing_manifest",
        f"INSERT INTO landing_area (site_id, number, page_id) VALUES (8, 1, {PAGE})",
        "UPDATE landing_area SET number = 2",
        "DELETE FROM landing_area",
        f"DELETE FROM landing_block WHERE id = {PUBLISHED}",
        f"DELETE FROM landing_page WHERE id = {PAGE}",
    ):
        run(service, statement)
        versions.append(version(service))

    assert len(set(versions)) == len(versions)


def test_P11_pages_are_made_only_from_these_tables(make_service: MakeService) -> None:
    service = make_service(world=_full())

    with statements.noted(service.kernel.store) as said:
        for path in (PATH, "/site-7/one/", "/sitemap.xml", "/robots.txt"):
            service.get(path)

    named = {
        table
        for table in sa.inspect(service.kernel.store.engine).get_table_names()
        if any(table in statement for statement in said)
    }
    watched = {table.name for table in READ}
    # The last request finds nothing, and such an answer is never cached.
    assert named == {*watched, "landing_public", "redirects_old"}


@pytest.mark.rule("B1")
def test_B1_a_draft_edit_is_no_new_version(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    before = version(service)

    data = {"lid": PAGE, "block": DRAFT, "data": {".title": "New"}}
    service.result("landing.block.updatenodes", data)

    assert version(service) == before

"""Erases pages, folders and sites whose time in the trash is over, by an hourly job (P9)."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import ColumnElement, Select, and_, bindparam, delete, exists, func, select

from landyard import Host, Job, Prepared, UnitOfWork, one_of
from landyard_content.files.records import file_store
from landyard_content.files.store import FileStore
from landyard_content.pages.erasing import erase_pages
from landyard_content.pages.trash import DUE, TrashSettings
from landyard_landing.events import HostWork, announce_folders, announce_pages, announce_site
from landyard_landing.tables import FOLDER, PAGE, SITE

log = structlog.get_logger()

_PURGED_AT_ONCE = 100  # rows in one transaction, which other writers wait for
_PAUSE = 0.05  # seconds between two transactions, in which other processes may write


def _due(columns: Any) -> ColumnElement[bool]:
    since = func.coalesce(columns.deleted_at, columns.modified_at, type_=columns.deleted_at.type)
    before = bindparam("before", type_=columns.deleted_at.type)
    return and_(columns.deleted, before >= since)


def _locked(query: Select[Any], row: ColumnElement[int]) -> Select[Any]:
    ordered = query.order_by(row).limit(bindparam("most"))
    return ordered.with_for_update(key_share=True, of=row.table)


# All pages of a trashed site, including those that were not trashed themselves.
_PAGES_OF_SITES = _locked(
    select(PAGE.id).join(SITE.id.table, SITE.id == PAGE.site_id).where(_due(SITE)), PAGE.id
)
_PAGES = (_PAGES_OF_SITES, DUE)
_SITES = _locked(
    select(SITE.id, SITE.id).where(_due(SITE), ~exists().where(PAGE.site_id == SITE.id)), SITE.id
)
_INNER = FOLDER.id.table.alias().c
# A folder with pages or folders in it stays; the innermost folders go first.
_FOLDERS = _locked(
    select(FOLDER.id, FOLDER.site_id).where(
        _due(FOLDER),
        ~exists().where(PAGE.folder_id == FOLDER.id),
        ~exists().where(_INNER.parent_id == FOLDER.id),
    ),
    FOLDER.id,
)
_ERASE_SITES = Prepared(delete(SITE.id.table).where(one_of(SITE.id, "these")))
_ERASE_FOLDERS = Prepared(delete(FOLDER.id.table).where(one_of(FOLDER.id, "these")))


def purge(host: Host, *, everything: bool = False, progress: Callable[[int], object] = int) -> int:
    """Erase pages, folders and sites whose time in the trash is over, or with `everything` all.

    Return the number of pages erased. `progress` is called with the number of pages of each
    transaction.
    """
    days = host.section(TrashSettings).retention_days
    if not days and not everything:
        return 0
    before = host.now() - timedelta(days=0 if everything else days)
    files = file_store(host)
    count = 0
    while erased := host.store.run(
        lambda unit: _erase_pages(host, unit, files, before), writes=True
    ):
        count += erased
        progress(erased)
        time.sleep(_PAUSE)
    while host.store.run(lambda unit: _erase_places(host, unit, before), writes=True):
        time.sleep(_PAUSE)
    return count


def _erase_pages(host: Host, unit: UnitOfWork, files: FileStore, before: datetime) -> int:
    values = {"before": before, "most": _PURGED_AT_ONCE}
    for query in _PAGES:
        if page_ids := list(unit.connection.execute(query, values).scalars()):
            announce_pages(HostWork(host, unit), "deleted", page_ids)
            erase_pages(unit, files, page_ids)
            return len(page_ids)
    return 0


def _erase_places(host: Host, unit: UnitOfWork, before: datetime) -> bool:
    """Erase sites without pages, and empty folders; return whether there were any.

    The folders of a site and the rights on it are deleted with it.
    """
    work = HostWork(host, unit)
    values = {"before": before, "most": _PURGED_AT_ONCE}
    sites = [site_id for site_id, _ in unit.connection.execute(_SITES, values)]
    for site_id in sites:
        announce_site(work, "deleted", site_id)
    _ERASE_SITES.run(unit.connection, these=sites)
    folders = list(unit.connection.execute(_FOLDERS, values))
    for folder_id, site_id in folders:
        announce_folders(work, "deleted", site_id, [folder_id])
    _ERASE_FOLDERS.run(unit.connection, these=[folder_id for folder_id, _ in folders])
    return bool(sites or folders)


def _purge_hourly(host: Host) -> None:
    if count := purge(host):
        log.info("trash_purged", pages=count)


RETENTION = Job("landing.trash", timedelta(hours=1), _purge_hourly)

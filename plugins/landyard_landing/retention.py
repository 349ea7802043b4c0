"""What the trash keeps, and for how long (P9)."""

import time
from datetime import datetime, timedelta
from typing import Annotated

import structlog
from msgspec import Meta, Struct
from sqlalchemy import ColumnElement, Connection, func, literal_column, select

from landyard import Job, Kernel, UnitOfWork
from landyard_landing.files import file_store
from landyard_landing.filestore import FileStore
from landyard_landing.tables import Page
from landyard_landing.trash import erase_pages

log = structlog.get_logger()

_PAGE = Page.__table__.c  # type: ignore[attr-defined]
_AT_ONCE = 100  # pages in one transaction: writers wait for no more than these
_BREATH = 0.05  # seconds between two, for writers of other processes to get their turn

# As the trash's index has it, word for word: SQLite would read all pages otherwise.
_IN_TRASH: ColumnElement[bool] = literal_column("landing_page.deleted")
# A world file may say that a page is in the trash, and not since when.
_TRASHED_AT = func.coalesce(_PAGE.deleted_at, _PAGE.modified_at, type_=_PAGE.deleted_at.type)
_TRASH = (
    select(_PAGE.id, _PAGE.site_id, _PAGE.title, _TRASHED_AT.label("trashed_at"))
    .where(_IN_TRASH)
    .order_by(_TRASHED_AT, _PAGE.id)
)
# In the index's order, of which all who purge lock alike.
_SOME = select(_PAGE.id).where(_IN_TRASH).order_by(_PAGE.deleted_at, _PAGE.id).limit(_AT_ONCE)


class TrashSettings(Struct, frozen=True):
    """`retention_days`: how long a page stays in the trash; 0 keeps it for ever (P9)."""

    retention_days: Annotated[int, Meta(ge=0, le=36500)] = 30

    def keeps_from(self, now: datetime) -> datetime | None:
        """Return the moment from which on trashed pages are kept; None keeps all."""
        return now - timedelta(days=self.retention_days) if self.retention_days else None

    def goes_at(self, trashed_at: datetime) -> datetime | None:
        """Return when a page goes that was trashed then; None for never."""
        return trashed_at + timedelta(days=self.retention_days) if self.retention_days else None


class TrashedPage(Struct, frozen=True):
    """A page in the trash, and since when it is there."""

    id: int
    site_id: int
    title: str
    trashed_at: datetime


def list_trash(connection: Connection) -> list[TrashedPage]:
    """List the pages in the trash, those that are there longest first."""
    return [TrashedPage(*row) for row in connection.execute(_TRASH)]


def purge(kernel: Kernel) -> int:
    """Remove for good what was in the trash for longer than it is kept; answer how many pages."""
    before = kernel.section(TrashSettings).keeps_from(kernel.now())
    return 0 if before is None else _purge(kernel, before)


def purge_all(kernel: Kernel) -> int:
    """Remove for good what is in the trash by now; answer how many pages."""
    return _purge(kernel, kernel.now())


def _purge(kernel: Kernel, before: datetime) -> int:
    """Remove what came into the trash until `before`, some pages at a time."""
    files = file_store(kernel.settings)
    count = 0
    while erased := kernel.store.run(lambda unit: _erase_some(unit, files, before), writes=True):
        count += erased
        time.sleep(_BREATH)
    return count


def _erase_some(unit: UnitOfWork, files: FileStore, before: datetime) -> int:
    # Locked as it is looked for: a page that is restored meanwhile is kept.
    some = _SOME.where(before >= _TRASHED_AT).with_for_update(key_share=True)
    page_ids = list(unit.connection.execute(some).scalars())
    erase_pages(unit, files, page_ids)
    return len(page_ids)


def _work(kernel: Kernel) -> None:
    if count := purge(kernel):
        log.info("trash_purged", pages=count)


RETENTION = Job("landing.trash", timedelta(hours=1), _work)

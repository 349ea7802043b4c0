"""Stores submissions within limits, finds repeated ones, and removes those that are too old."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
from msgspec import Struct, structs
from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, select, update

from landyard import Host, Moment, UnitOfWork
from landyard_events import later
from landyard_forms.answers import Answer
from landyard_forms.attachments import NewFile
from landyard_forms.events import FormSubmitted, MailSubmission
from landyard_forms.settings import FormSettings
from landyard_forms.tables import FILE, SUBMISSION
from landyard_landing import advisory_lock, tables
from landyard_public.published_blocks import PublishedBlock

_TABLE = SUBMISSION.id.table
_ALIKE = 2  # similar submissions of others, from which a further one is doubtful
_AT_ONCE = 1000  # rows that a sweep removes in one transaction


class TooMuch(Exception):
    """A limit is reached: of a sender or form in the last hour, or of the form's size (`full`)."""

    def __init__(self, *, full: bool) -> None:
        super().__init__("full" if full else "too often")
        self.full = full


class NewSubmission(Struct, frozen=True):
    """A submission to store; see the table for its fields."""

    answers: Sequence[Answer]
    consent: str
    sender: str
    digest: str
    likeness: str = ""
    files: Sequence[NewFile] = ()


def keep(host: Host, block: PublishedBlock, new: NewSubmission) -> None:
    """Store a submission and publish its event; a repetition by the same sender is ignored.

    Raises `TooMuch`.
    """
    host.store.run(lambda unit: _keep(host, unit, block, new), writes=True)


def repeated(host: Host, form_id: int, new: NewSubmission) -> bool:
    """Tell whether a text like this was sent twice by others to this form within a day.

    Texts are alike if their letters, without links, are the same: see `Sent.prose`.
    """
    query = select(SUBMISSION.id).where(
        SUBMISSION.form_id == form_id,
        _within(host, timedelta(days=1)),
        SUBMISSION.likeness == new.likeness,
        SUBMISSION.sender != new.sender,
    )
    similar = host.store.run(
        lambda unit: unit.connection.execute(query.limit(_ALIKE)).all(), writes=False
    )
    return len(similar) == _ALIKE


def _keep(host: Host, unit: UnitOfWork, block: PublishedBlock, new: NewSubmission) -> None:
    connection, now, settings = unit.connection, host.now(), host.section(FormSettings)
    advisory_lock.acquire(connection, f"forms.{block.id}")
    answers = msgspec.to_builtins(new.answers)
    size = len(msgspec.json.encode(answers)) + len(new.consent.encode())
    size += sum(len(each.content) for each in new.files)
    if _is_kept(host, connection, block.id, new):
        return  # e.g. the button was pressed twice
    _require_room(connection, block.id, size, settings)
    _require_pause(host, connection, block.id, new.sender)
    row = {
        "form_id": block.id,
        "page_id": block.page_id,
        "sent_at": now,
        "answers": answers,
        "consent": new.consent,
        "sender": new.sender,
        "digest": new.digest,
        "likeness": new.likeness,
        "size": size,
    }
    added = connection.execute(insert(_TABLE).values(**row).returning(SUBMISSION.id)).scalar_one()
    for file in new.files:
        connection.execute(
            insert(FILE.name.table).values(submission_id=added, **structs.asdict(file))
        )
    host.publish(unit, FormSubmitted(block.id, block.page_id, block.site_id, added))
    if settings.smtp_host and settings.mail_to:
        later(unit, MailSubmission(added))


def _within(host: Host, time: timedelta) -> ColumnElement[bool]:
    """Return the condition of recent submissions; one in the future has a wrong time."""
    now = host.now()
    return SUBMISSION.sent_at.between(now - time, now + Moment.clocks_differ)


def _is_kept(host: Host, connection: Connection, form_id: int, new: NewSubmission) -> bool:
    query = select(SUBMISSION.id).where(
        SUBMISSION.form_id == form_id,
        _within(host, timedelta(hours=1)),
        SUBMISSION.sender == new.sender,
        SUBMISSION.digest == new.digest,
    )
    return connection.execute(query.limit(1)).first() is not None


def _require_room(connection: Connection, form_id: int, size: int, settings: FormSettings) -> None:
    query = select(func.count(), func.coalesce(func.sum(SUBMISSION.size), 0))
    count, total = connection.execute(query.where(SUBMISSION.form_id == form_id)).one()
    if count >= settings.kept or total + size > settings.megabytes * 1_000_000:
        raise TooMuch(full=True)


def _require_pause(host: Host, connection: Connection, form_id: int, sender: str) -> None:
    settings = host.section(FormSettings)
    query = select(func.count(), func.count().filter(SUBMISSION.sender == sender)).where(
        SUBMISSION.form_id == form_id,
        _within(host, timedelta(hours=1)),
    )
    by_all, by_sender = connection.execute(query).one()
    if by_all >= settings.form_hourly or by_sender >= settings.hourly:
        raise TooMuch(full=False)


def sweep(host: Host) -> None:
    """Remove submissions older than `days`, and those of pages that no longer exist.

    The digest of a sender's address is removed after a day.
    """
    now = host.now()
    old = SUBMISSION.sent_at < now - timedelta(days=host.section(FormSettings).days)
    orphan = ~select(tables.PAGE.id).where(tables.PAGE.id == SUBMISSION.page_id).exists()
    for condition in (old, orphan):
        chosen = select(SUBMISSION.id).where(condition).limit(_AT_ONCE)
        while _swept(host, chosen) == _AT_ONCE:
            pass
    with_sender = update(_TABLE).where(
        SUBMISSION.sent_at < now - timedelta(days=1), SUBMISSION.sender != ""
    )
    host.store.run(lambda unit: unit.connection.execute(with_sender.values(sender="")), writes=True)


def remove_chosen(connection: Connection, chosen: Select[Any]) -> int:
    """Remove the submissions selected by a query, with their files; returns their number."""
    ids = connection.execute(chosen).scalars().all()
    connection.execute(delete(FILE.name.table).where(FILE.submission_id.in_(ids)))
    return int(connection.execute(delete(_TABLE).where(SUBMISSION.id.in_(ids))).rowcount)


def _swept(host: Host, chosen: Select[Any]) -> int:
    return host.store.run(lambda unit: remove_chosen(unit.connection, chosen), writes=True)

"""The methods `guestbook.add` and `guestbook.list`."""

from datetime import datetime

from landyard import Call, Example, MethodGroup, MissingParams, Paged, WrongType
from msgspec import Struct

from landyard_example.entries import Entry, count, newest
from landyard_example.errors import EntryRefused
from landyard_example.settings import GuestbookSettings

_LAST = 2**31 - 1  # the largest offset that a database takes

group = MethodGroup(scope="guestbook")


class ShownEntry(Struct, frozen=True):
    """An entry as callers see it."""

    id: int
    name: str
    text: str
    added_at: datetime


class Add(Struct, frozen=True):
    name: str
    text: str


class List(Struct, frozen=True):
    """`start`: the offset of the first entry; pass `next` of the previous answer."""

    start: int = 0


_ENTRY = {"id": 1, "name": "Ann", "text": "Fair winds!", "added_at": "2027-05-01T12:00:00Z"}


@group.method(
    "guestbook.add",
    errors=[MissingParams, WrongType, EntryRefused],
    writes=True,
    example=Example(params={"name": "Ann", "text": "Fair winds!"}, result=_ENTRY),
)
def add(call: Call, params: Add) -> ShownEntry:
    """Add an entry to the guest book; answers the entry with its id.

    Spaces around the name and the text are left out.
    """
    name, text = params.name.strip(), params.text.strip()
    if not name or not text or len(name) + len(text) > call.settings(GuestbookSettings).longest:
        raise EntryRefused
    entry = Entry(name=name, text=text, added_at=call.now())
    call.session.add(entry)
    call.session.flush()  # assigns the id
    shown = _shown(entry)
    call.subject = f"entry:{shown.id}"
    return shown


@group.method(
    "guestbook.list",
    errors=[WrongType],
    example=Example(params={"start": 0}, result=[]),
)
def list_entries(call: Call, params: List) -> Paged[ShownEntry]:
    """List the entries of the guest book, the newest first, page by page."""
    start = max(0, min(params.start, _LAST))
    most = call.settings(GuestbookSettings).page
    entries = newest(call.session, start, most + 1)  # one more shows whether there is a next page
    shown = [_shown(entry) for entry in entries[:most]]
    if len(entries) <= most:
        return Paged(shown)
    return Paged(shown, next=start + most, total=count(call.session))


def _shown(entry: Entry) -> ShownEntry:
    assert entry.id is not None  # it was flushed
    return ShownEntry(entry.id, entry.name, entry.text, entry.added_at)

"""The list `guestbook` of the world file: loads and dumps entries."""

from collections.abc import Iterable
from datetime import datetime

from landyard import Loader, RowId, WorldList
from msgspec import UNSET, Struct, UnsetType
from sqlmodel import Session, col, select

from landyard_example.entries import Entry


class EntryItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: RowId | None = None
    name: str
    text: str
    added_at: datetime | UnsetType = UNSET


def load_entry(loader: Loader, item: EntryItem, path: str) -> int:
    loader.need_moment(item.added_at, f"{path}.added_at")
    values = {"name": item.name, "text": item.text, "added_at": item.added_at}
    entry_id = loader.save(Entry, {"id": item.id}, values, {"added_at": loader.now})
    loader.once(Entry, entry_id, path)
    return entry_id


def dump_entries(session: Session) -> Iterable[EntryItem]:
    for entry in session.exec(select(Entry).order_by(col(Entry.id))):
        yield EntryItem(id=entry.id, name=entry.name, text=entry.text, added_at=entry.added_at)


LISTS = [WorldList(name="guestbook", item=EntryItem, load=load_entry, dump=dump_entries)]

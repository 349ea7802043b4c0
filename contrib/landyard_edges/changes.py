"""Names the tags of a public change, in its transaction."""

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import bindparam, exists, or_, select

from landyard import Call, CommandRun, Prepared, Subscriber, UnitOfWork
from landyard_edges.purging import OPTION, Edges
from landyard_edges.waiting import Tag, whole_site
from landyard_events import find_event
from landyard_landing import tables
from landyard_public.edge_tags import EVERYTHING, LISTS, file_tag, page_tag

_LOAD = "landyard load"
# Other pages name the main page of their site and the index page of their folder.
_PLACE = Prepared(
    select(
        tables.PAGE.original_id,
        or_(
            exists().where(tables.SITE.main_page_id == tables.PAGE.id),
            exists().where(tables.FOLDER.index_page_id == tables.PAGE.id),
        ),
    ).where(tables.PAGE.id == bindparam("page_id"))
)
_FILES = Prepared(select(tables.FILE.key).where(tables.FILE.page_id == bindparam("page_id")))

# Not `created`: visitors do not see what was made, until it is published.
_OF_SITES = ("changed", "published", "unpublished", "trashed", "restored", "deleted")
_OF_PAGES = (*_OF_SITES, "moved")


def subscribers() -> Iterator[Subscriber]:
    """Return the subscribers for all changes that visitors see."""
    for change in _OF_PAGES:
        yield Subscriber(find_event(f"landing.page.{change}"), note_page)
    for change in _OF_SITES:
        yield Subscriber(find_event(f"landing.site.{change}"), note_site)
        yield Subscriber(find_event(f"landing.folder.{change}"), note_site)
    yield Subscriber(CommandRun, note_command)


def note_page(unit: UnitOfWork | Call, event: Any) -> None:
    """Note the tags of a changed page; also that of its site, unless its draft was published."""
    edges = _edges_of(unit)
    if edges is None:
        return
    change = event.topic.rpartition(".")[2]
    found = _PLACE.first(unit.connection, page_id=event.page_id)
    original_id, is_home = found or (None, True)
    tags = [Tag(page_tag(event.page_id), event.site_id), Tag(LISTS)]
    if original_id and original_id != event.page_id:
        tags.append(Tag(page_tag(original_id)))  # its translations have this tag
    if is_home or change != "published":
        tags.append(whole_site(event.site_id))
    if change == "deleted":
        keys = _FILES.all(unit.connection, page_id=event.page_id)
        tags += [Tag(file_tag(key)) for (key,) in keys]
    _note(edges, unit, tags)


def note_site(unit: UnitOfWork | Call, event: Any) -> None:
    """Note the tag of a site that has changed, or one of whose folders has."""
    edges = _edges_of(unit)
    if edges is not None:
        _note(edges, unit, [whole_site(event.site_id), Tag(LISTS)])


def note_command(unit: UnitOfWork | Call, event: CommandRun) -> None:
    """Note all answers where a world was loaded: it publishes no events of its own."""
    edges = _edges_of(unit)
    if edges is not None and event.command == _LOAD:
        _note(edges, unit, [Tag(EVERYTHING)])


def _edges_of(unit: UnitOfWork | Call) -> Edges | None:
    found: Edges | None = unit.connection.engine.get_execution_options().get(OPTION)
    return found


def _note(edges: Edges, unit: Any, tags: Iterable[Tag]) -> None:
    edges.note(unit, list(tags))

"""Makes the variants of uploaded pictures: when a page with them is published, and by a job."""

import re
from collections.abc import Iterable
from typing import Any

import structlog
from sqlalchemy import exists, insert, literal, select

from landyard import Host
from landyard_events import Delivery
from landyard_landing import FILE, PagePublished, file_store, list_blocks, shows_files
from landyard_pictures.settings import KINDS, PictureSettings
from landyard_pictures.tables import PICTURE
from landyard_uploads import FileError, Varied, vary

log = structlog.get_logger()

MENTION = re.compile(r"/files/([0-9a-f]{32})/([A-Za-z0-9_][A-Za-z0-9._-]{0,119})")
"""The address of an uploaded file: its key and its name."""
_TAKEN = (".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
_MOST_BLOCKS = 10_000
_AT_ONCE = 50  # files that a job looks at
# How often the way of making variants has changed. Browsers keep an address for a year, so what is
# made anew needs another one. Add 1 together with a migration that empties `pictures_picture`.
_MADE = 2

File = tuple[str, str]
"""A file's key and name."""


def variant_name(width: int, kind: str) -> str:
    """Write the name of a variant's file, which stands beside that of the picture."""
    return f"_w{width}.{KINDS[kind]}"


def variant_address(key: str, name: str) -> str:
    """Write the address of a variant, by the key of its picture and the name of its own file."""
    return f"/files/{key}/{name}?v={_MADE}"


def with_files(unit: Any, event: PagePublished) -> Iterable[str]:
    """Have the event kept of pages that show files: of others nothing can be made."""
    return ("",) if shows_files(unit.connection, event.page_id) else ()


def make_of_page(delivery: Delivery, event: PagePublished) -> None:
    """Make what is missing of the pictures of a page that was published."""
    host = delivery.host
    blocks = host.store.run(
        lambda unit: list_blocks(
            unit.connection, event.page_id, public=True, deleted=False, limit=_MOST_BLOCKS
        ),
        writes=False,
    )
    mentioned = {found for block in blocks for found in MENTION.findall(block.content)}
    _make_all(host, sorted(mentioned))


def make_missing(host: Host) -> None:
    """Make what is missing of pictures that were uploaded before, or came into use otherwise."""
    known = exists().where(PICTURE.key == FILE.key)
    query = select(FILE.key, FILE.name).where(~known, ~FILE.temporary)
    with host.store.unit(writes=False) as unit:
        rows = unit.connection.execute(query.order_by(FILE.id).limit(_AT_ONCE)).all()
    _make_all(host, [(row.key, row.name) for row in rows])


def _make_all(host: Host, files: Iterable[File]) -> None:
    keys = [key for key, _ in files]
    query = select(PICTURE.key).where(PICTURE.key.in_(keys))
    with host.store.unit(writes=False) as unit:
        known = set(unit.connection.execute(query).scalars())
    for key, name in files:
        if key not in known:
            _make(host, key, name)


def _make(host: Host, key: str, name: str) -> None:
    """Make the variants of a picture, then its row; one that is gone meanwhile gets none."""
    store, settings = file_store(host.settings), host.section(PictureSettings)
    path = store.path(key, name)
    made = Varied(0, 0, [])
    try:
        if path is not None and name.endswith(_TAKEN):
            made = vary(host, path.read_bytes(), settings.widths, settings.kinds)
        for each in made.variants:
            if (variant := variant_name(each.width, each.kind)) != name:
                store.add(key, name, variant, each.content)
    except FileNotFoundError:
        return
    except FileError as error:
        log.info("picture_not_varied", file=key, reason=str(error))
    variants = [[each.width, each.kind] for each in made.variants]
    _keep(host, key, {"width": made.width, "height": made.height, "variants": variants})


def _keep(host: Host, key: str, values: dict[str, object]) -> None:
    # Only where the file is there still, and by one of those who are at it.
    there = select(
        FILE.key, *(literal(value, PICTURE[name].type) for name, value in values.items())
    )
    there = there.where(FILE.key == key, ~exists().where(PICTURE.key == key))
    statement = insert(PICTURE.key.table).from_select(["key", *values], there)
    host.store.run(lambda unit: unit.connection.execute(statement), writes=True)

"""Makes the variants of pictures, when a page is published, and by a job."""

import re
from collections.abc import Iterable
from typing import Any

import structlog
from sqlalchemy import exists, insert, literal, select

from landyard import Host
from landyard_content.blocks import list_blocks
from landyard_content.files import DamagedFile, file_store
from landyard_events import Delivery
from landyard_landing import events, tables
from landyard_pictures.decode.exchange import Varied
from landyard_pictures.settings import KINDS, PictureSettings
from landyard_pictures.tables import PICTURE
from landyard_pictures.upload_errors import FileError
from landyard_pictures.uses import shows_files
from landyard_pictures.variant_decoding import vary

log = structlog.get_logger()

MENTION = re.compile(r"/files/([0-9a-f]{32})/([A-Za-z0-9_][A-Za-z0-9._-]{0,119})")
"""The address of an uploaded file: its key and its name."""
_EXTENSIONS = (".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
_MOST_BLOCKS = 10_000
_AT_ONCE = 50  # files in one run of the job
# The version of the way to make variants. Browsers cache an address for a year, so new variants
# need a new one. Add 1 together with a migration that empties `pictures_picture`.
_VERSION = 2

File = tuple[str, str]
"""A file's key and name."""


def variant_name(width: int, kind: str) -> str:
    """Return the file name of a variant, which is stored beside the picture."""
    return f"_w{width}.{KINDS[kind]}"


def variant_address(key: str, name: str) -> str:
    """Return the address of a variant, from the picture's key and the variant's file name."""
    return f"/files/{key}/{name}?v={_VERSION}"


def with_files(unit: Any, event: events.PagePublished) -> Iterable[str]:
    """Return a target for pages that show files; the event of others is not stored."""
    return ("",) if shows_files(unit.connection, event.page_id) else ()


def make_of_page(delivery: Delivery, event: events.PagePublished) -> None:
    """Make the missing variants of a published page's pictures."""
    host = delivery.host
    blocks = host.store.run(
        lambda unit: list_blocks(
            unit.connection, event.page_id, public=True, deleted=False, limit=_MOST_BLOCKS
        ),
        writes=False,
    )
    mentioned = {mention for block in blocks for mention in MENTION.findall(block.content)}
    _make_all(host, sorted(mentioned))


def make_missing(host: Host) -> None:
    """Make the missing variants of other used pictures, such as those uploaded earlier."""
    has_variants = exists().where(PICTURE.key == tables.FILE.key)
    query = select(tables.FILE.key, tables.FILE.name).where(~has_variants, ~tables.FILE.temporary)
    with host.store.unit(writes=False) as unit:
        rows = unit.connection.execute(query.order_by(tables.FILE.id).limit(_AT_ONCE)).all()
    _make_all(host, [(row.key, row.name) for row in rows])


def _make_all(host: Host, files: Iterable[File]) -> None:
    keys = [key for key, _ in files]
    query = select(PICTURE.key).where(PICTURE.key.in_(keys))
    with host.store.unit(writes=False) as unit:
        varied_keys = set(unit.connection.execute(query).scalars())
    for key, name in files:
        if key not in varied_keys:
            _make(host, key, name)


def _make(host: Host, key: str, name: str) -> None:
    """Make the variants of a picture, then its row; neither if the file is gone meanwhile."""
    store, settings = file_store(host), host.section(PictureSettings)
    varied = Varied(0, 0, [])
    try:
        if name.endswith(_EXTENSIONS):
            varied = vary(host, store.read(key, name), settings.widths, settings.kinds)
        for each in varied.variants:
            if (variant := variant_name(each.width, each.kind)) != name:
                store.add(key, name, variant, each.content)
    except FileNotFoundError:
        return
    except DamagedFile as error:  # the others are made; `landyard files check` finds some of these
        log.warning("picture_damaged", file=key, reason=str(error))
        return
    except FileError as error:
        log.info("picture_not_varied", file=key, reason=str(error))
    variants = [[each.width, each.kind] for each in varied.variants]
    _keep(host, key, {"width": varied.width, "height": varied.height, "variants": variants})


def _keep(host: Host, key: str, values: dict[str, object]) -> None:
    # Only if the file still exists, and no other process has added the row.
    existing = select(
        tables.FILE.key, *(literal(value, PICTURE[name].type) for name, value in values.items())
    )
    existing = existing.where(tables.FILE.key == key, ~exists().where(PICTURE.key == key))
    statement = insert(PICTURE.key.table).from_select(["key", *values], existing)
    host.store.run(lambda unit: unit.connection.execute(statement), writes=True)

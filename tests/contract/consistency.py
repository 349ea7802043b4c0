"""What is stored is consistent: rows belong together, files have theirs, and a dump tells all."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import msgspec
import sqlalchemy as sa
from corpora import read_data

from landyard.testing import Service

# Each finds nothing where what is stored is consistent.
BROKEN = read_data(__file__, "BROKEN", dict[str, str])


def assert_rows_belong_together(service: Service) -> None:
    """Nothing of `BROKEN` is found; jobs, which run every hour, had some hours' time."""
    now = service.kernel.now()
    ages = {"long_ago": now - timedelta(hours=26), "very_long_ago": now - timedelta(days=31)}
    with service.kernel.store.session() as session:
        found = {
            what: list(session.execute(sa.text(query), _used(query, ages)).scalars())
            for what, query in BROKEN.items()
        }
    assert {what: ids for what, ids in found.items() if ids} == {}


def assert_files_have_rows(service: Service) -> None:
    """Each file has its row and each row its file."""
    with service.kernel.store.session() as session:
        rows = session.execute(sa.text("SELECT key, name FROM landing_file")).all()
    folder = service.kernel.settings.data / "files"
    kept = {path.relative_to(folder).name for path in folder.rglob("*") if path.is_file()}
    assert kept == {f"{key}.{name}" for key, name in rows}


def assert_served(service: Service, pages: Collection[int], **call: Any) -> None:
    """These pages are at their addresses; `call` says who asks for these."""
    for page in pages:
        url = service.call("landing.landing.getpublicurl", {"lid": page}, **call).result
        parts = urlsplit(url)
        assert service.get(parts.path, host=parts.netloc).status_code == 200, url


def assert_movable(service: Service, **settings: Any) -> None:
    """What `landyard dump` writes, `landyard load` reads into an empty service."""
    dumped = b"".join(service.kernel.dump())
    with Service(world=msgspec.json.decode(dumped), **settings) as copy:
        assert b"".join(copy.kernel.dump()) == dumped


def _used(query: str, values: dict[str, datetime]) -> dict[str, datetime]:
    return {
        name: moment.replace(tzinfo=None) for name, moment in values.items() if f":{name}" in query
    }

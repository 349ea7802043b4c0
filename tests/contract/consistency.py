"""Checks that stored data is consistent: rows refer to each other, files have rows, dumps are
whole.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import sqlalchemy as sa
from contract.pictures import files
from corpora import read_data

from landyard.testing import Service

# Each query finds nothing in a consistent database.
BROKEN = read_data(__file__, "BROKEN", dict[str, str])


def assert_rows_belong_together(service: Service) -> None:
    """Assert that no query of `BROKEN` finds a row; hourly jobs are allowed some hours' delay."""
    now = service.kernel.now()
    ages = {"long_ago": now - timedelta(hours=26), "very_long_ago": now - timedelta(days=31)}
    with service.kernel.store.session() as session:
        found = {
            what: list(session.execute(sa.text(query), _used(query, ages)).scalars())
            for what, query in BROKEN.items()
        }
    assert {what: ids for what, ids in found.items() if ids} == {}


def assert_files_have_rows(service: Service) -> None:
    """Assert that each file has a row and each row has a file."""
    with service.kernel.store.session() as session:
        rows = session.execute(sa.text("SELECT key, name FROM landing_file")).all()
    kept = {Path(path).name for path in files(service)}
    assert kept == {f"{key}.{name}" for key, name in rows}


def assert_served(service: Service, pages: Collection[int], **call: Any) -> None:
    """Assert that these pages are served at their addresses; `call` names the user who asks for
    them.
    """
    for page in pages:
        url = service.call("landing.landing.getpublicurl", {"lid": page}, **call).result
        parts = urlsplit(url)
        assert service.get(parts.path, host=parts.netloc).status_code == 200, url


def assert_movable(service: Service, **settings: Any) -> None:
    """Assert that `landyard load` reads a dump of the service into an empty service without
    loss.
    """
    dumped = b"".join(service.kernel.dump())
    with Service(world=msgspec.json.decode(dumped), **settings) as copy:
        assert b"".join(copy.kernel.dump()) == dumped


def _used(query: str, values: dict[str, datetime]) -> dict[str, datetime]:
    return {
        name: moment.replace(tzinfo=None) for name, moment in values.items() if f":{name}" in query
    }

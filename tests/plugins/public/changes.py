"""Changes of the database behind a service, as other processes make them."""

import time
from typing import Any

import sqlalchemy as sa

from landyard.storage.changes import KNOWN_FOR
from landyard.testing import Service


def run(service: Service, statement: str) -> None:
    """Change the database behind the service, as another process does."""
    engine = sa.create_engine(service.kernel.settings.database)
    with engine.begin() as connection:
        connection.execute(sa.text(statement))
    engine.dispose()


def await_notice(service: Service) -> None:
    """Wait until a service must have noticed another process's commit: no time at all on SQLite."""
    if not service.kernel.store.sqlite:
        time.sleep(KNOWN_FOR)


def version(service: Service) -> Any:
    """The stored version of the public data."""
    with service.kernel.store.session() as session:
        return session.execute(sa.text("SELECT version FROM landing_public")).scalar()

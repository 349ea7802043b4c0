"""Changes behind a service's back, as other processes make them."""

import time
from typing import Any

import sqlalchemy as sa

from landyard.storage.changes import KNOWN_FOR
from landyard.testing import Service


def run(service: Service, statement: str) -> None:
    """Change the database behind the service's back, as another process does."""
    engine = sa.create_engine(service.kernel.settings.database)
    with engine.begin() as connection:
        connection.execute(sa.text(statement))
    engine.dispose()


def await_notice(service: Service) -> None:
    """Wait until a service must know of what others have committed: no time at all on SQLite."""
    if not service.kernel.store.sqlite:
        time.sleep(KNOWN_FOR)


def version(service: Service) -> Any:
    """The version of what is public, as it is stored."""
    with service.kernel.store.session() as session:
        return session.execute(sa.text("SELECT version FROM landing_public")).scalar()

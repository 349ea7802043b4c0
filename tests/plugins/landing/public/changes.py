"""Changes behind a service's back, as other processes make them."""

from typing import Any

import sqlalchemy as sa

from landyard.testing import Service


def run(service: Service, statement: str) -> None:
    """Change the database behind the service's back, as another process does."""
    engine = sa.create_engine(service.kernel.settings.database)
    with engine.begin() as connection:
        connection.execute(sa.text(statement))
    engine.dispose()


def version(service: Service) -> Any:
    """The version of what is public, as it is stored."""
    with service.kernel.store.session() as session:
        return session.execute(sa.text("SELECT version FROM landing_public")).scalar()

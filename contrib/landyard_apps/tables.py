"""The table of bindings: which events go to which address of an app."""

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import METADATA, Moment, table_of


class Base(SQLModel, registry=registry(metadata=METADATA)):
    """The base of the models; other plugins may have classes of the same names."""


class Binding(Base, table=True):
    """An event that an app has asked for, by the platform's name, and where it goes.

    `auth_type` is the user on whose behalf it is told, 0 whoever has brought it about. `user_id` is
    the user for whom the app has asked.
    """

    __tablename__ = "apps_binding"
    __table_args__ = (
        UniqueConstraint(
            *("app_id", "event", "handler", "auth_type"), name="uq_apps_binding_app_id"
        ),
        # What waits for one that was removed must not go to another.
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    app_id: int
    event: str = Field(index=True)
    handler: str
    auth_type: int
    user_id: int = 0
    created_at: datetime = Field(sa_type=Moment)


BINDING = table_of(Binding)

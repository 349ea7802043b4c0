"""The table of bindings: the events that an app subscribed to, and their addresses."""

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of the models; other plugins may have classes of the same names."""


class Binding(Base, table=True):
    """An app's subscription to an event: the platform's event name and the receiving address.

    `auth_type` is the user on whose behalf the event is sent; 0 is the user who caused it.
    `user_id` is the user for whom the app subscribed.
    """

    __tablename__ = "apps_binding"
    __table_args__ = (
        UniqueConstraint(
            *("app_id", "event", "handler", "auth_type"), name="uq_apps_binding_app_id"
        ),
        # An id is never reused: a delivery for a removed binding must not go to a new one.
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

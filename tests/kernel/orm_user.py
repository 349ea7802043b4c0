"""Users as an ORM class, for tests that use a session."""

from typing import TYPE_CHECKING

from sqlalchemy.orm import DeclarativeBase, Mapped

from landyard import METADATA
from landyard.auth.credentials import USER


class _Base(DeclarativeBase):
    metadata = METADATA


class User(_Base):
    __table__ = USER
    if TYPE_CHECKING:
        id: Mapped[int]
        name: Mapped[str]
        admin: Mapped[bool]
        active: Mapped[bool]

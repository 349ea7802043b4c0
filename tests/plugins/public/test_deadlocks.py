"""A visitor gets the page although the database has ended the reading to resolve a deadlock."""

import sqlite3

import pytest
from conftest import MakeService
from contract.worlds import one_page
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from landyard_public import delivery
from landyard_public.delivery import public_version

pytestmark = pytest.mark.rule("P11")


class _Ended(sqlite3.OperationalError):
    """An error with a code: SQLite's for a busy database, and PostgreSQL's for a deadlock."""

    sqlite_errorcode = sqlite3.SQLITE_BUSY
    sqlstate = "40P01"


def test_a_page_is_read_again_after_a_deadlock(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_service(world=one_page())
    times: list[int] = []

    def version(connection: Connection) -> int:
        times.append(1)
        if len(times) == 1:
            raise OperationalError("SELECT", {}, _Ended("deadlock detected"))
        return public_version(connection)

    monkeypatch.setattr(delivery, "public_version", version)
    answer = service.get("/site-7/page-10/")

    assert answer.status_code == 200
    assert len(times) == 2

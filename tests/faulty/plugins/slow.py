"""Takes longer than its time limit: asleep, in Python, and in C that releases the interpreter."""

import hashlib
import time
from collections.abc import Iterable
from typing import Any

from litestar import get
from msgspec import Struct
from sqlalchemy import text

from landyard import Call, MethodGroup, hookimpl

group = MethodGroup(scope="faulty")


class How(Struct, frozen=True):
    """How to spend `seconds`, and whether to write before."""

    how: str = "sleep"
    seconds: float = 0.0
    write: bool = False


def spend(how: str, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if how == "sleep":
            time.sleep(max(0.0, end - time.monotonic()))
        elif how == "c":
            hashlib.pbkdf2_hmac("sha256", b"", b"", 200_000)


def _method(name: str) -> None:
    @group.method(name, writes=True)
    def slow(call: Call, params: How) -> bool:
        """Spend time, with or without the write lock."""
        title = "'Of the faulty one'" if params.seconds else "title"
        change = text(f"UPDATE landing_page SET title = {title}")
        if params.write:
            call.connection.execute(change)
        spend(params.how, params.seconds)
        call.connection.execute(change)
        return True


# A method that each row may have refused by its circuit breaker.
NAMES = ("sleep", "loop", "c", "writing", "stuck", "lock", "hang", "one", "two", "three", "four")
for each in NAMES:
    _method(f"faulty.slow_{each}")


@hookimpl
def register_methods() -> MethodGroup:
    return group


@hookimpl
def register_routes(host: Any) -> Iterable[object]:
    @get("/faulty/slow/{seconds:float}", sync_to_thread=False)
    def page(seconds: float) -> str:
        time.sleep(seconds)
        return "late"

    return [page]

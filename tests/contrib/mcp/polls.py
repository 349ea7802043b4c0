"""A third-party plugin with methods that assistants call, and the difficulties they may meet."""

import threading
from collections.abc import Iterable
from datetime import date
from typing import Any

from kernel.sample import Brings
from msgspec import Struct

import landyard_audit
import landyard_batch
import landyard_describe
import landyard_general
import landyard_limits
import landyard_mcp
import landyard_safe_writes
from landyard import (
    Call,
    CallError,
    Deprecation,
    Download,
    MethodGroup,
    MissingParams,
    NoContent,
    Plugin,
    WrongType,
)

polls = MethodGroup(scope="poll")
LONG = "poll.what.a.plugin.may.call.one.of.its.methods.when.it.wants"


class Twice(CallError):
    code = "VOTED_TWICE"
    status = 409
    data = b'{"choice":"a"}'
    text = "You have voted already."


class Vote(Struct, frozen=True):
    """`choice`: what is voted for."""

    choice: str


class Nothing(Struct, frozen=True):
    """No parameters."""


class Tree(Struct, frozen=True):
    """`anything`: how it grows."""

    anything: Any = None


@polls.method("poll.vote", writes=True, errors=[MissingParams, Twice, WrongType])
def vote(_call: Call, params: Vote) -> str:
    """Vote."""
    if params.choice == "twice":
        raise Twice
    return params.choice


@polls.method("poll.add", writes=True)
def add(_call: Call, _params: Nothing) -> int:
    """Add a poll."""
    return 1


@polls.method("poll.send", writes=True, slow=True)
def send(_call: Call, _params: Nothing) -> NoContent:
    """Send an invitation, which cannot be undone."""
    return NoContent()


@polls.method("poll.export", errors=[MissingParams, WrongType])
def export(_call: Call, params: Vote) -> Download:
    """Answer a file: a table, a picture, or one that is large."""
    match params.choice:
        case "table":
            return Download(b"a;b", "polls.csv", "text/csv")
        case "large":
            return Download((b"x" * 1000 for _ in range(5000)), "polls.bin")
    return Download(b"\0\1", "poll.png", "image/png")


@polls.method("poll.grow", errors=[WrongType])
def grow(_call: Call, _params: Tree) -> bool:
    """Take a tree."""
    return True


@polls.method("poll.hang", seconds=0.2)
def hang(_call: Call, _params: Nothing) -> None:
    """Wait for longer than the limit."""
    threading.Event().wait(0.5)


@polls.method("poll.old", deprecated=Deprecation(date(2026, 1, 1), date(2027, 6, 1)))
def old(_call: Call, _params: Nothing) -> None:
    """Do what a newer method does better."""


@polls.method(LONG)
def long(_call: Call, _params: Nothing) -> None:
    """Do nothing."""


def plugins() -> Iterable[Any]:
    return [
        *(
            landyard_audit,
            landyard_general,
            landyard_batch,
            landyard_describe,
        ),
        *(
            landyard_limits,
            landyard_mcp,
            landyard_safe_writes,
            Plugin("poll", Brings(polls)),
        ),
    ]

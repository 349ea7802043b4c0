"""The wire snapshot: any change that a client can notice differs from the stored snapshot."""

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from contract.documents import METHODS
from kernel.sample import Brings
from msgspec import Struct, field
from snapshot import snapshot

from landyard import Call, CallError, Id, Kernel, MethodGroup, Plugin, Settings

SNAPSHOT = Path(__file__).parent / "methods.schema.json"
ACCEPT = "A client can notice this. If it is meant: `make docs`, and commit the snapshot with it."


def written(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def test_the_interface_for_clients_equals_the_snapshot() -> None:
    was, now = SNAPSHOT.read_text(), written(snapshot(METHODS))

    changes = difflib.unified_diff(
        was.splitlines(), now.splitlines(), "agreed on", "as it is", lineterm="", n=6
    )
    assert was == now, "\n".join([ACCEPT, *changes])


def test_the_snapshot_holds_every_method() -> None:
    held = msgspec.json.decode(SNAPSHOT.read_bytes())

    assert list(held["methods"]) == [method.name for method in METHODS]
    assert len(held["system"]) >= 13


class Taken(CallError):
    code = "TAKEN"
    text = "It is taken."


class Parameters(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: Id | None = field(name="lid", default=None)
    mark: bool = True


class OtherDefault(Struct, frozen=True):
    page_id: Id | None = field(name="lid", default=None)
    mark: bool = False


class OtherName(Struct, frozen=True):
    page_id: Id | None = None
    mark: bool = True


class OtherType(Struct, frozen=True):
    page_id: int | None = field(name="lid", default=None)
    mark: bool = True


class Titled(Parameters, frozen=True):
    title: bool = False


def snapshot_of(
    params: type[Struct] = Parameters, result: Any = bool, scope: str = "x", **more: Any
) -> Any:
    """The snapshot of one method with these parameters, result and scope."""
    group = MethodGroup(scope=scope)

    def handler(call: Call, params: Any) -> Any:
        return None

    handler.__doc__ = more.pop("doc", "Mark a page.")
    handler.__annotations__ = {"call": Call, "params": params, "return": result}
    group.method("a.mark", **more)(handler)
    kernel = Kernel(Settings(), [Plugin("sample", Brings(group))])
    kernel.close()
    return snapshot(kernel.methods)


@pytest.mark.parametrize(
    "changed",
    [
        lambda: snapshot_of(OtherDefault),
        lambda: snapshot_of(OtherName),
        lambda: snapshot_of(OtherType),
        lambda: snapshot_of(Titled),
        lambda: snapshot_of(result=int),
        lambda: snapshot_of(scope="y"),
        lambda: snapshot_of(errors=[Taken]),
        lambda: snapshot_of(writes=True),
        lambda: snapshot_of(right="edit"),
    ],
    ids=["default", "name", "type", "title", "result", "scope", "code", "writes", "right"],
)
def test_a_change_that_a_client_can_notice_is_in_the_snapshot(changed: Callable[[], Any]) -> None:
    assert changed() != snapshot_of()


def test_a_change_of_documentation_is_not_in_the_snapshot() -> None:
    assert snapshot_of(doc="Mark a page, or no longer.") == snapshot_of()

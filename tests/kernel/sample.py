"""A sample plugin, and the services that tests of the kernel make with plugins of their own."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from landyard import (
    Call,
    Id,
    Ids,
    Kernel,
    MethodGroup,
    MissingParams,
    Plugin,
    PluginError,
    Settings,
    Truthy,
    WrongType,
    hookimpl,
)
from landyard.testing import WEBHOOK, Answer, Service
from landyard.web.wire import Incoming
from landyard_audit.rows import Rows

CALL = f"/1/{WEBHOOK}/"


class Brings:
    """A plugin's module with one group of methods, and the hooks that a subclass adds."""

    def __init__(self, group: MethodGroup) -> None:
        self.group = group

    @hookimpl
    def register_methods(self) -> MethodGroup:
        return self.group


class Nested(Struct, frozen=True):
    count: int = 0
    flag: bool = False


class Kinds(Struct, frozen=True):
    """One parameter of every kind."""

    integer: int | None = None
    id: Id | None = None
    ids: Ids | None = None
    boolean: bool | None = None
    truthy: Truthy | None = None
    text: str | None = None
    number: float | None = None
    object: dict[str, Any] | None = None
    array: list[Any] | None = None
    nested: Nested | None = None
    anything: Any = None


class Needs(Struct, frozen=True):
    lid: Id
    block: int
    data: dict[str, Any]
    ids: Ids
    flag: bool = False


class Nothing(Struct, frozen=True):
    pass


def sample_group() -> MethodGroup:
    """Methods that answer their parameters."""
    group = MethodGroup(scope="sample")

    @group.method("sample.kinds", errors=[WrongType])
    def kinds(call: Call, params: Kinds) -> Kinds:
        """Answer the parameters as they were read."""
        return params

    @group.method("sample.lenient")
    def lenient(call: Call, params: Kinds) -> Kinds:
        """Answer the parameters of a method that knows no TYPE_ERROR."""
        return params

    @group.method("sample.needs", errors=[WrongType, MissingParams])
    def needs(call: Call, params: Needs) -> Needs:
        """Answer parameters that must be sent."""
        return params

    @group.method("sample.given")
    def given(call: Call, params: Nothing) -> dict[str, Any]:
        """Answer the body as it came off the wire."""
        return dict(call.request.params)

    @group.method("sample.who")
    def who(call: Call, params: Nothing) -> str:
        """Answer the user whose credential counted."""
        return f"{call.actor.user_id} {call.actor.credential} {call.actor.name}"

    return group


def sample_plugin() -> Plugin:
    return Plugin("sample", Brings(sample_group()))


@contextmanager
def sample_service(**options: Any) -> Iterator[Service]:
    """A service with only the sample methods, on a database file of its own."""
    with Service([sample_plugin()], **options) as service:
        yield service


def post(service: Service, method: str, sent: Any, **more: Any) -> Answer:
    """Send `sent` as a client with another JSON library writes it."""
    body = json.dumps(sent).encode()
    return service.send(Incoming("POST", f"{CALL}{method}", body=body, **more))


def audit_all(service: Service) -> None:
    """Make sure that the audit has the rows of all answered calls."""
    taken = threading.Event()
    service.kernel.background.later("audit", taken.set)
    assert taken.wait(60)
    for brought in service.kernel.resolution.contributions:
        if isinstance(brought.keeper, Rows):
            brought.keeper.flush()


def started(folder: Path, *plugins: Plugin) -> Kernel:
    """A kernel started strictly with these plugins, and closed afterwards."""
    kernel = Kernel(Settings(data=folder, strict=True), list(plugins))
    kernel.close()
    return kernel


def refusal(folder: Path, *plugins: Plugin) -> str:
    """The message that an operator gets when a strict service with these plugins does not start."""
    with pytest.raises(PluginError) as caught:
        started(folder, *plugins)
    return str(caught.value)

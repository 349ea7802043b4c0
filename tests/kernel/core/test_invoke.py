"""A method invokes another: for the same caller, in the same transaction, as a call."""

from collections.abc import Callable
from typing import Any

import pytest
from conftest import MakeService
from kernel.sample import Brings, Nothing
from msgspec import Struct
from sqlalchemy.exc import OperationalError
from sqlmodel import col, select

from landyard import Call, CallError, Id, MethodGroup, MissingParams, Plugin, WrongType, hookimpl
from landyard.auth.credentials import User
from landyard.testing import WEBHOOK, Service


class Closed(CallError):
    code = "CLOSED"


class Named(Struct, frozen=True):
    name: str


class Of(Struct, frozen=True):
    user: Id


class Watching(Brings):
    """Methods, and hooks that record their arguments for each call."""

    def __init__(self, *groups: MethodGroup) -> None:
        super().__init__(groups[0])
        self.told: list[tuple[str, ...]] = []

    @hookimpl
    def before_call(self, request: Any) -> None:
        self.told.append(("before", request.method))

    @hookimpl
    def before_commit(self, call: Call) -> None:
        self.told.append(("commit", call.method, call.subject))

    def of(self, kind: str) -> list[tuple[str, ...]]:
        return [each[1:] for each in self.told if each[0] == kind]


def methods(
    outer: Callable[[Call], Any], odd: Callable[[Call], Any] = lambda _: None, **options: Any
) -> MethodGroup:
    """`team.outer` and `team.odd` run the test's function; the others are there to be invoked."""
    group = MethodGroup(scope="team")
    options = {"writes": True, "errors": [Closed, WrongType, MissingParams], **options}

    @group.method("team.outer", **options)
    def run(call: Call, params: Nothing) -> Any:
        """Run the test's function."""
        return outer(call)

    @group.method("team.add", writes=True, errors=[Closed, MissingParams, WrongType])
    def add(call: Call, params: Named) -> int:
        """Add a user."""
        user = User(name=params.name)
        call.session.add(user)
        call.session.flush()
        call.subject = f"user:{params.name}"
        if params.name == "nobody":
            raise Closed
        return user.id or 0

    @group.method("team.odd", writes=True)
    def run_odd(call: Call, params: Nothing) -> Any:
        """Run the test's function."""
        return odd(call)

    @group.method("team.names", errors=[])
    def names(call: Call, params: Nothing) -> list[str]:
        """List the users."""
        return list(call.session.exec(select(User.name).order_by(col(User.id))))

    return group


def serving(make: MakeService, outer: Callable[[Call], Any], **options: Any) -> Service:
    return make([Plugin("team", Watching(methods(outer, **options)))])


def watching(service: Service) -> Watching:
    [plugin] = [each.plugin.module for each in service.kernel.resolution.contributions]
    assert isinstance(plugin, Watching)
    return plugin


def names(service: Service) -> list[str]:
    with service.kernel.store.session() as session:
        return list(session.exec(select(User.name).order_by(col(User.id))))[1:]


def test_an_invoked_method_shares_the_transaction_and_returns_a_plain_result(
    make_service: MakeService,
) -> None:
    def outer(call: Call) -> Any:
        number = call.invoke("team.add", {"name": "Ann"})
        assert isinstance(number, int)
        return call.invoke("Team.Names")[-1]

    service = serving(make_service, outer)

    assert service.result("team.outer") == "Ann"
    assert names(service) == ["Ann"]


def test_a_failed_invocation_is_undone_alone_and_raises(make_service: MakeService) -> None:
    undone: list[str] = []

    def outer(call: Call) -> Any:
        call.invoke("team.add", {"name": "Ann"})
        with pytest.raises(Closed):
            call.invoke("team.add", {"name": "nobody"})
        with pytest.raises(WrongType):
            call.invoke("team.add", {"name": []})
        with pytest.raises(CallError, match="no such method"):
            call.invoke("team.fly")
        call.invoke("team.add", {"name": "Bea"})
        return undone

    service = serving(make_service, outer)

    assert service.call("team.outer").error is None
    assert names(service) == ["Ann", "Bea"]
    assert watching(service).of("commit") == [
        ("team.add", "user:Ann"),
        ("team.add", "user:Bea"),
        ("team.outer", ""),
    ]


def test_a_call_that_the_database_aborted_runs_again_as_a_whole(make_service: MakeService) -> None:
    attempts: list[Any] = []
    deadlock = Exception()
    deadlock.sqlstate = "40P01"  # type: ignore[attr-defined]

    def outer(call: Call) -> Any:
        attempts.append(call.ask("team.add", {"name": "Ann"}))
        return call.ask("team.odd").status

    def odd(call: Call) -> None:
        if len(attempts) < 3:
            raise OperationalError("UPDATE", {}, deadlock)

    service = serving(make_service, outer, odd=odd)

    assert service.result("team.outer") == 200
    assert len(attempts) == 3
    assert names(service) == ["Ann"]


def test_nothing_is_kept_where_the_outer_call_fails(make_service: MakeService) -> None:
    def outer(call: Call) -> None:
        call.invoke("team.add", {"name": "Ann"})
        raise Closed

    service = serving(make_service, outer)

    assert service.call("team.outer").error == "CLOSED"
    assert names(service) == []


def test_an_invocation_counts_as_a_call(make_service: MakeService) -> None:
    service = serving(make_service, lambda call: call.invoke("team.names"))
    finished: list[tuple[str, int]] = []
    service.kernel.dispatch.observers.append(
        lambda it: finished.append((it.request.method, it.reply.status))
    )

    answer = service.call("team.outer")

    assert watching(service).of("before") == [("team.outer",), ("team.names",)]
    assert finished == [("team.names", 200), ("team.outer", 200)]
    again = service.call("team.names")
    assert again.body["time"]["operating"] > 0
    assert answer.body["time"]["operating"] < answer.body["time"]["processing"]


def test_a_reading_method_invokes_no_writing_one() -> None:
    def outer(call: Call) -> None:
        call.invoke("team.add", {"name": "Ann"})

    plugin = Plugin("team", Watching(methods(outer, writes=False)))
    with Service([plugin]) as service, pytest.raises(RuntimeError, match="which writes"):
        service.call("team.outer")


def test_the_scope_of_the_invoked_method_is_checked() -> None:
    other = MethodGroup()

    @other.method("open.door", errors=[])
    def door(call: Call, params: Nothing) -> Any:
        """Invoke a method that the caller may not call."""
        return call.invoke("team.names")

    plugins = [Plugin("team", Brings(methods(lambda _: 1))), Plugin("open", Brings(other))]
    world = {"users": [{"id": 1}], "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": []}]}
    with Service(plugins, world=world) as service:
        assert service.call("open.door").error == "insufficient_scope"


def test_methods_that_invoke_each_other_are_stopped() -> None:
    plugin = Plugin("team", Brings(methods(lambda call: call.invoke("team.outer"))))
    with Service([plugin]) as service, pytest.raises(RuntimeError, match="more than 8 deep"):
        service.call("team.outer")


def test_without_a_transaction_each_invocation_has_its_own(make_service: MakeService) -> None:
    def outer(call: Call) -> None:
        call.invoke("team.add", {"name": "Ann"})
        with pytest.raises(RuntimeError, match="transaction=False"):
            _ = call.connection
        raise Closed

    service = serving(make_service, outer, transaction=False)

    assert service.call("team.outer").error == "CLOSED"
    assert names(service) == ["Ann"]


def test_inside_a_transaction_of_the_handler_invocations_share_it(
    make_service: MakeService,
) -> None:
    def both(call: Call) -> None:
        call.invoke("team.add", {"name": "Ann"})
        call.invoke("team.add", {"name": "nobody"})

    service = serving(
        make_service, lambda call: call.transaction(both, writes=True), transaction=False
    )

    assert service.call("team.outer").error == "CLOSED"
    assert names(service) == []


def test_rollback_actions_run_for_a_failed_invocation(make_service: MakeService) -> None:
    undone: list[str] = []
    inner = MethodGroup(scope="team")

    @inner.method("team.file", writes=True, errors=[Closed])
    def file(call: Call, params: Nothing) -> None:
        """Write a file, and fail."""
        call.on_rollback(lambda: undone.append("file"))
        raise Closed

    def outer(call: Call) -> list[str]:
        call.on_rollback(lambda: undone.append("the caller's"))
        with pytest.raises(Closed):
            call.invoke("team.file")
        return undone

    plugins = [Plugin("team", Brings(methods(outer))), Plugin("files", Brings(inner))]

    assert make_service(plugins).result("team.outer") == ["file"]
    assert undone == ["file"]

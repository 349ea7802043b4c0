"""Joining in: the code of a plugin before and after other plugins' methods, and its failures."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeService
from kernel.mapped import User
from kernel.sample import Brings, Nothing, refusal
from kernel.switching import saying, turn_off
from msgspec import Struct
from sqlmodel import select
from structlog.testing import capture_logs

from landyard import (
    Call,
    CallError,
    Id,
    Join,
    Kernel,
    Method,
    MethodGroup,
    MissingParams,
    NoContent,
    Paged,
    Plugin,
    WrongType,
    hookimpl,
)
from landyard.testing import Service


class Frozen(CallError):
    code = "FROZEN"
    status = 423


class Hidden(CallError):
    code = "HIDDEN"


class Named(Struct, frozen=True):
    id: Id
    name: str = ""


class Card(Struct, frozen=True, rename="camel"):
    full_name: str


class Joining:
    """A plugin's module that joins in methods."""

    def __init__(self, *joins: Join, requires: tuple[str, ...] = ()) -> None:
        self.joins = joins
        self.requires = requires

    @hookimpl
    def register_joins(self) -> tuple[Join, ...]:
        return self.joins


def joining(name: str, *joins: Join, requires: tuple[str, ...] = ()) -> Plugin:
    return Plugin(name, Joining(*joins, requires=requires))


def people() -> Plugin:
    group = MethodGroup(scope="crm")

    @group.method("crm.contact.get", errors=[MissingParams, WrongType])
    def get(call: Call, params: Named) -> Card:
        """Show somebody."""
        return Card(params.name)

    @group.method("crm.contact.add", writes=True, errors=[MissingParams, WrongType])
    def add(call: Call, params: Named) -> dict[str, int]:
        """Add somebody."""
        call.session.add(User(id=params.id, name=params.name))
        call.session.flush()
        return {"id": params.id}

    @group.method("crm.contact.steps", writes=True, slow=True)
    def steps(call: Call, params: Nothing) -> dict[str, int]:
        """Work between two transactions."""
        call.transaction(lambda _: None)
        return {"users": users(call)}

    @group.method("crm.contact.loose", transaction=False)
    def loose(call: Call, params: Nothing) -> dict[str, int]:
        """Do without a transaction."""
        return {}

    @group.method("crm.contact.outer", writes=True)
    def outer(call: Call, params: Nothing) -> str:
        """Show somebody by another method."""
        card = call.invoke("crm.contact.get", {"id": 1, "name": "Ann"})
        assert isinstance(card, Card)
        return f"{card.full_name} {getattr(card, 'seen', 0)}"

    @group.method("crm.list")
    def listed(call: Call, params: Nothing) -> Paged[dict[str, int]]:
        """List them."""
        return Paged([{"id": 1}])

    @group.method("crm.forget", writes=True)
    def forget(call: Call, params: Nothing) -> NoContent:
        """Forget them."""
        return NoContent()

    return Plugin("people", Brings(group))


def users(call: Call) -> int:
    return len(call.session.exec(select(User)).all())


def refuse(error: type[Exception]) -> Callable[[], None]:
    def before() -> None:
        raise error

    return before


def serving(*plugins: Plugin, **options: Any) -> Service:
    return Service([people(), *plugins], **options)


ANN = {"id": 7, "name": "Ann"}


def test_before_sees_the_parameters_and_refuses_with_a_declared_error() -> None:
    recorded: list[tuple[str, int]] = []

    def before(call: Call, method: Method, params: Named) -> None:
        recorded.append((method.name, params.id))
        if params.id == 13:
            raise Frozen

    with serving(joining("frozen", Join("CRM.contact.*", before=before, errors=[Frozen]))) as one:
        answers = [one.call("crm.contact.add", id=number).error for number in ("7", "13", "x")]
        assert [one.call("crm.list").error, *answers] == [None, None, "FROZEN", "TYPE_ERROR"]
        found = one.kernel.methods.find("crm.contact.add")
        elsewhere = one.kernel.methods.find("crm.list")

    assert recorded == [("crm.contact.add", 7), ("crm.contact.add", 13)]
    assert found is not None
    assert elsewhere is not None
    assert (found.declares(Frozen), elsewhere.declares(Frozen)) == (True, False)


@pytest.mark.parametrize("pattern", ["crm.contact.get", "crm.contact.*", "*.get", "*"])
def test_after_adds_fields_to_an_object(pattern: str) -> None:
    def after(method: Method, result: Any) -> dict[str, Any] | None:
        return {"seen_by": result.full_name.lower()} if method.name == "crm.contact.get" else None

    with serving(joining("seen", Join(pattern, after=after))) as service:
        assert service.result("crm.contact.get", ANN) == {"fullName": "Ann", "seen_by": "ann"}
        assert service.kernel.methods.find("crm.contact.get") is not None


def test_joins_run_in_the_order_of_requirements_then_of_names() -> None:
    def adding(name: str) -> Join:
        return Join("crm.contact.add", after=lambda result: {name: len(result)})

    plugins = [
        joining("c", adding("c1"), adding("c2")),
        joining("a", adding("a"), requires=("d",)),
        joining("d", adding("d")),
        joining("b", adding("b")),
    ]
    with serving(*plugins) as service:
        found = service.result("crm.contact.add", ANN)

    assert found == {"id": 7, "b": 1, "c1": 2, "c2": 3, "d": 4, "a": 5}


def test_a_refusing_after_undoes_the_call(make_service: MakeService) -> None:
    def after(call: Call) -> None:
        assert users(call) == 2
        raise Frozen

    service = make_service([people(), joining("last", Join("*", after=after, errors=[Frozen]))])

    assert service.call("crm.contact.add", ANN).error == "FROZEN"
    with service.kernel.store.session() as session:
        assert len(session.exec(select(User)).all()) == 1


def divide() -> None:
    raise ZeroDivisionError("internals")


def leave() -> None:
    raise SystemExit(3)


def add(**fields: Any) -> Callable[[], dict[str, Any]]:
    return lambda: fields


FAILING: list[tuple[str, Callable[..., Any], str]] = [
    ("before", divide, "crm.contact.add"),
    ("before", leave, "crm.contact.add"),
    ("before", refuse(Hidden), "crm.contact.add"),
    ("after", divide, "crm.contact.add"),
    ("after", refuse(Hidden), "crm.contact.add"),
    ("after", add(id=3), "crm.contact.add"),  # there is such a field already
    ("after", add(fullName=""), "crm.contact.get"),
    ("after", add(more=object()), "crm.contact.get"),
    ("after", add(more=1), "crm.list"),  # the result is no object
    ("after", add(more=1), "crm.forget"),
    ("after", lambda: "more", "crm.contact.add"),
]


@pytest.mark.rule("C11", "C13")
@pytest.mark.parametrize(("when", "does", "method"), FAILING)
def test_C13_a_failing_join_refuses_its_call_as_overload_and_is_named(
    when: str, does: Callable[..., Any], method: str
) -> None:
    parts: Any = {when: does}
    plugin = joining("broken", Join(method, **parts))
    with serving(plugin) as service, capture_logs() as logs:
        answer = service.call(method, ANN)
        other = service.call("crm.contact.loose")

    assert (answer.status, answer.error, other.error) == (503, "OVERLOAD_LIMIT", None)
    assert "internals" not in str(answer.body)
    told = [(log["plugin"], log["hook"]) for log in logs if log["event"] == "hook_failed"]
    assert told == [("broken", f"{when} {method}")]


def test_methods_with_transactions_of_their_own_are_joined() -> None:
    def before(call: Call) -> None:
        assert users(call) == 1

    def after(call: Call) -> dict[str, int]:
        return {"after": users(call)}

    with serving(joining("reading", Join("crm.contact.*", before=before, after=after))) as one:
        assert one.result("crm.contact.steps") == {"users": 1, "after": 1}
        assert one.result("crm.contact.loose") == {"after": 1}


def test_invoked_methods_are_joined_and_return_their_own_type() -> None:
    seen = joining("seen", Join("crm.contact.get", after=add(seen=3)))
    frozen = joining("frozen", Join("crm.contact.get", before=refuse(Frozen), errors=[Frozen]))
    with serving(seen) as service:
        assert service.result("crm.contact.outer") == "Ann 3"
    with serving(frozen, raise_crashes=False) as service:
        # the outer method declares no FROZEN
        assert service.call("crm.contact.outer").status == 500


def test_failed_observes_failures_after_the_answer() -> None:
    recorded: list[tuple[str, Any]] = []
    join = Join(
        "crm.contact.*", failed=lambda reply, params: recorded.append((reply.error, params))
    )
    with serving(joining("seen", join), raise_crashes=False) as service:
        service.call("crm.contact.get", ANN)
        service.call("crm.contact.get", id="x")
        service.call("crm.contact.outer", user=2)
        service.call("crm.contact.add", id=1)  # there is such a user already

    assert recorded == [("TYPE_ERROR", None), ("INTERNAL_SERVER_ERROR", Named(id=1))]


def test_joins_of_an_object_know_its_kernel() -> None:
    class Kept:
        def __init__(self, kernel: Kernel) -> None:
            self.kernel = kernel

        @hookimpl
        def register_joins(self) -> list[Join]:
            return [Join("crm.contact.get", after=self.more)]

        def more(self) -> dict[str, Any]:
            return {"plugins": len(self.kernel.resolution.contributions)}

    class Keeping:
        @hookimpl
        def register_hooks(self, host: Kernel) -> Kept:
            return Kept(host)

    with serving(Plugin("keeping", Keeping())) as service:
        assert service.result("crm.contact.get", ANN)["plugins"] == 2


def test_joins_of_a_plugin_that_is_off_are_gone() -> None:
    with serving(joining("seen", Join("crm.contact.get", after=add(seen=3)))) as service:
        turn_off(service.kernel, "seen")

        assert service.result("crm.contact.get", ANN) == {"fullName": "Ann"}


async def coming() -> None: ...


WRONG = {
    "a coroutine": (Join("*", before=coming), r"'before \*' is `async def`"),
    "an argument that there is not": (
        Join("*", before=lambda parameters: None),
        "takes 'parameters', and is given call, method, params",
    ),
    "what before does not have": (Join("*", before=lambda result: None), "takes 'result'"),
    "nothing": (Join("crm.*"), "'crm.*' has neither"),
    "an error without a code": (Join("*", before=divide, errors=[CallError]), "has no code"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_an_impossible_join_is_refused_at_start_up(wrong: str, tmp_path: Path) -> None:
    join, reason = WRONG[wrong]

    assert re.search(reason, refusal(tmp_path, people(), joining("wrong", join)))


def test_a_join_that_matches_no_method_is_reported() -> None:
    with capture_logs() as logs, Service([saying("one"), joining("a", Join("on.*", after=add()))]):
        pass

    told = [(log["plugin"], log["methods"]) for log in logs if log["event"] == "join_unmatched"]
    assert told == [("a", "on.*")]

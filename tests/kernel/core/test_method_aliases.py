"""Aliases of methods, and several groups with scopes of their own in one plugin."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from kernel.sample import CALL, Brings, Nothing, refusal
from kernel.switching import turn_off
from structlog.testing import capture_logs

from landyard import Alias, Call, Deprecation, MethodGroup, Plugin, hookimpl
from landyard.core.hook_calls import Outcome
from landyard.plugin_host.usage import last_hour
from landyard.testing import WEBHOOK, Service
from landyard_general.method_list import legacy

NOTICE = Deprecation(date(2026, 1, 1), date(2027, 1, 1), instead="crm.contact.list")
ALIASES = ("crm.contacts", Alias("crm.people", NOTICE))


class Several:
    """A plugin's module with several groups of methods."""

    def __init__(self, *groups: MethodGroup) -> None:
        self.groups = groups

    @hookimpl
    def register_methods(self) -> Iterable[MethodGroup]:
        return self.groups


def group(name: str, aliases: Iterable[str | Alias] = (), scope: str = "crm") -> MethodGroup:
    group = MethodGroup(scope=scope)

    @group.method(name, aliases=aliases)
    def method(call: Call, params: Nothing) -> str:
        """Say which method this is."""
        return call.method

    return group


def crm() -> Plugin:
    groups = group("crm.contact.list", ALIASES), group("crm.deal.list", scope="deals")
    return Plugin("crm", Several(*groups))


def test_an_alias_answers_as_the_method_itself() -> None:
    outcomes: list[Outcome] = []
    with Service([crm()]) as service:
        service.kernel.dispatch.observers.append(outcomes.append)
        answers = [service.result(name) for name in ("CRM.contacts", "crm.people")]
        service.kernel.usage.flush(service.kernel.store)
        counted = last_hour(service.kernel.store, service.kernel.now())

    assert answers == ["crm.contact.list"] * 2
    assert [each.method.name for each in outcomes if each.method] == answers
    assert [each.request.method for each in outcomes] == ["CRM.contacts", "crm.people"]
    assert {name: counts.spread.total() for name, counts in counted.items()} == {
        "crm.contact.list": 2
    }


def test_the_answer_to_a_deprecated_alias_has_a_header() -> None:
    with Service([crm()]) as service:
        answers = [
            service.request("POST", f"/rest{CALL}{name}").headers
            for name in ("crm.contact.list", "crm.contacts", "crm.people")
        ]

    assert ["deprecation" in headers for headers in answers] == [False, False, True]


def test_methods_lists_all_names_that_answer() -> None:
    with Service([crm(), Plugin("legacy", Brings(legacy))]) as service:
        listed = service.result("methods", full=True)
        available = service.result("methods")
        of_scope = service.result("methods", scope="crm")

    contacts = ["crm.contact.list", "crm.contacts"]
    assert listed == available == [*contacts, "crm.deal.list", "crm.people", "methods"]
    assert of_scope == [*contacts, "crm.people"]


def test_each_group_has_its_scope() -> None:
    world = {"users": [{"id": 1}], "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["deals"]}]}
    with Service([crm()], world=world) as service:
        assert service.result("crm.deal.list") == "crm.deal.list"
        assert service.call("crm.contacts").error == "insufficient_scope"


@pytest.mark.parametrize("off", ["crm", "crm.contact.list"])
def test_an_alias_disappears_with_its_method(off: str) -> None:
    with Service([crm()]) as service:
        turn_off(service.kernel, off)

        assert service.call("crm.contacts").error == "ERROR_METHOD_NOT_FOUND"


@pytest.mark.parametrize("name", ["crm.contacts", "CRM.People", "crm.contact.list"])
def test_a_taken_name_is_refused_and_both_plugins_are_named(name: str, tmp_path: Path) -> None:
    for other in (group(name), group("other.say", [name])):
        reason = refusal(tmp_path, crm(), Plugin("other", Brings(other)))

        assert "plugin 'other'" in reason
        assert f"method {name} is already brought by plugin 'crm'" in reason


@pytest.mark.parametrize("aliases", [["crm.Contacts", "crm.contacts"], ["Crm.contact.list"]])
def test_equal_names_within_one_plugin_are_refused(aliases: list[str], tmp_path: Path) -> None:
    reason = refusal(tmp_path, Plugin("crm", Brings(group("crm.contact.list", aliases))))

    assert "is already brought by plugin 'crm'" in reason


@pytest.mark.parametrize(
    ("aliases", "error"), [(["crm.con tacts"], ValueError), ("crm.contacts", TypeError)]
)
def test_an_invalid_name_is_refused(aliases: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"crm\.con"):
        group("crm.contact.list", aliases)


def test_an_object_that_is_no_group_is_refused(tmp_path: Path) -> None:
    wrong: Any = Several(group("crm.contact.list"), "deals")  # type: ignore[arg-type]

    with capture_logs():
        assert "register_methods answered" in refusal(tmp_path, Plugin("crm", wrong))

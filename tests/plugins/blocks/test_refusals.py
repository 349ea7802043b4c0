"""Refused calls of the editing methods leave no trace (C1, R1 to R6, B2)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.cards import MANIFEST, card_block
from contract.worlds import (
    EDITOR,
    OUTSIDER,
    STRANGER,
    VIEWER,
    as_user,
    everything,
    guarded_world,
    need_refused,
)
from corpora import read_data

import landyard_blocks
import landyard_content
import landyard_landing
import landyard_public
import landyard_sitekit
from landyard import Plugin, Request, hookimpl
from landyard.testing import Service
from landyard_blocks.addblock import BlockWrongVersion

CALLS = read_data(__file__, "CALLS", dict[str, dict[str, Any]])
NO_BLOCK = read_data(__file__, "NO_BLOCK", set[str])
TYPES = read_data(__file__, "TYPES", list[tuple[str, dict[str, Any], str]])
READING = ("getcontent", "getmanifest")
EDITED = {"lid": 10, "block": 100}
REMOVE = "landing.landing.removeEntities"
# A page in the trash, one of an invisible site, and a missing one.
NOWHERE = [{"lid": 12, "block": 120}, {"lid": 20, "block": 130}, {"lid": 99, "block": 100}]
LOST, GONE, DENIED = "LANDING_NOT_EXIST", "BLOCK_NOT_FOUND", "ACCESS_DENIED"


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=guarded_world(card_block, manifests=[MANIFEST]))


def cases() -> list[tuple[str, int, dict[str, Any], str]]:
    """For every editing method: the caller, the page, and the code expected."""
    found: list[tuple[str, int, dict[str, Any], str]] = []
    for method, more in CALLS.items():
        denied = LOST if method == REMOVE else DENIED
        found += [
            (method, VIEWER, more | EDITED, denied),
            (method, STRANGER, more | EDITED, LOST),
            (method, OUTSIDER, more | EDITED, denied),
            *((method, EDITOR, more | each, LOST) for each in NOWHERE),
            (method, EDITOR, more | EDITED | {"scope": "KNOWLEDGE"}, LOST),
        ]
        if method not in NO_BLOCK:  # the block is looked up before the right is checked
            found += [(method, who, more | {"lid": 10, "block": 99}, GONE) for who in (2, 5)]
    return found


@pytest.mark.rule("C1", "R1", "R2", "R3", "R5", "R6")
def test_R1_to_R6_a_caller_who_may_not_edit_changes_nothing(service: Service) -> None:
    before = everything(service)

    wrong = [
        (method, who, sent, answer.error)
        for method, who, sent, code in cases()
        for answer in [service.call(method, sent, **as_user(who))]
        if answer.error != code
    ]

    assert wrong == []
    assert everything(service) == before


@pytest.mark.rule("C1", "C5", "C7", "C8", "C9", "B2", "B9")
def test_C9_an_unusable_value_has_the_methods_code(service: Service) -> None:
    before = everything(service)

    wrong = [
        (method, more, answer.error)
        for method, more, code in TYPES
        for answer in [service.call(method, CALLS.get(method, {}) | EDITED | more)]
        if answer.error != code
    ]

    assert wrong == []
    assert everything(service) == before


@pytest.mark.rule("R1", "R3")
def test_R1_the_repository_is_for_those_with_access(service: Service) -> None:
    methods = ("getrepository", "getmanifestfile", "getContentFromRepository")
    cases = [(OUTSIDER, {"code": "ly.text"}, DENIED)]

    for name in methods:
        need_refused(service, f"landing.block.{name}", cases)
        sent = {"code": "ly.text"}
        assert service.call(f"landing.block.{name}", sent, **as_user(STRANGER)).error is None


@pytest.mark.rule("R1", "R2")
def test_R2_reading_needs_the_right_to_view(service: Service) -> None:
    draft = EDITED | {"editMode": True, "params": {"edit_mode": True}}

    for name in READING:
        cases = [(OUTSIDER, draft, DENIED), (STRANGER, draft, LOST)]
        need_refused(service, f"landing.block.{name}", cases)
        assert service.call(f"landing.block.{name}", draft, **as_user(VIEWER)).error is None
    by_id = "landing.block.getbyid"
    need_refused(service, by_id, [(OUTSIDER, draft, DENIED), (STRANGER, draft, GONE)])
    need_refused(service, by_id, [(OUTSIDER, {"block": 99}, DENIED)])
    assert service.call(by_id, draft, **as_user(VIEWER)).error is None


class NewerOnly:
    """A plugin that says that a block needs a newer service."""

    requires = ("blocks",)

    @hookimpl
    def before_call(self, request: Request) -> None:
        if request.params["fields"] == {"CODE": "test.cards"}:
            raise BlockWrongVersion


@pytest.mark.parametrize("name", ["addblock", "favoriteBlock"])
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_hook_of_a_plugin_may_say_that_a_block_is_too_new(
    make_service: MakeService, name: str
) -> None:
    plugins = [
        landyard_content,
        landyard_landing,
        landyard_public,
        landyard_sitekit,
        landyard_blocks,
        Plugin("newer", NewerOnly()),
    ]
    service = make_service(plugins, world=guarded_world(card_block, manifests=[MANIFEST]))

    answer = service.call(f"landing.landing.{name}", EDITED | {"fields": {"CODE": "test.cards"}})

    assert answer.error == "BLOCK_WRONG_VERSION"

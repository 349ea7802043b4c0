"""The history stores only the changed part of long HTML, and readers restore the whole (B14)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import HTML, PAGE, block, draft_html, page, stored, world
from hypothesis import given
from hypothesis import strategies as st

from landyard.testing import Service
from landyard_content.blocks.splices import spliced, whole

METHOD = "landing.block.updatenodes"
ONE, TWO = 100, 101
LONG = HTML + "".join(f"<p>Paragraph ü{number} of many</p>" for number in range(200))

texts = st.text("ab<ü😀", max_size=40)
long_texts = st.builds(lambda part, times: part * times, texts, st.integers(0, 400))


@pytest.fixture
def service(make_service: MakeService) -> Service:
    blocks = block(ONE) | {"content": LONG}, block(TWO)
    return make_service(world=world(page(PAGE, *blocks)))


def edit(service: Service, title: str, **more: Any) -> None:
    service.result(METHOD, {"lid": PAGE, "block": ONE, "data": {".title": title}, **more})


def history(service: Service, name: str) -> Any:
    return service.result(f"landing.landing.history.{name}", {"lid": PAGE})


@given(long_texts, long_texts, texts, texts)
def test_the_stored_part_restores_the_whole(first: str, last: str, was: str, became: str) -> None:
    before = {"content": f"{first}{was}{last}"}
    after = {"content": f"{first}{became}{last}", "params": {"a": {}}}

    assert whole(before, spliced(before, after)) == after


@given(long_texts, long_texts)
def test_unrelated_texts_are_stored_whole(was: str, became: str) -> None:
    before, after = {"content": was}, {"content": became}

    assert whole(before, spliced(before, after)) == after


@pytest.mark.parametrize("before", [{}, {"params": {}}, {"content": LONG}])
@pytest.mark.parametrize("after", [{}, {"after": 3}, {"block": {"content": LONG}}])
def test_a_change_that_is_no_edit_of_long_html_is_stored_unchanged(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert spliced(before, after) == after == whole(before, after)


@pytest.mark.rule("B14")
def test_B14_an_entry_of_long_html_is_hardly_longer_than_the_html(service: Service) -> None:
    edit(service, "New")

    (entry,) = stored(service, "landing_history")
    assert entry["before"] == {"content": LONG}
    assert len(str(entry["after"])) < 300
    assert whole(entry["before"], entry["after"]) == {"content": draft_html(service, ONE)}
    assert ">New<" in draft_html(service, ONE)


@pytest.mark.rule("B14")
def test_B14_edits_of_long_html_are_undone_and_redone(service: Service) -> None:
    edit(service, "New")
    edit(service, "Newer <b>still</b>")
    end = draft_html(service, ONE)

    history(service, "undo")
    assert ">New<" in draft_html(service, ONE)
    history(service, "undo")
    assert draft_html(service, ONE) == LONG
    history(service, "redo")
    history(service, "redo")

    assert draft_html(service, ONE) == end


@pytest.mark.rule("B14")
def test_B14_long_html_changed_outside_of_the_history_is_not_undone(service: Service) -> None:
    edit(service, "New")
    edit(service, "Newer", preventHistory=True)

    refused = service.call("landing.landing.history.undo", {"lid": PAGE})

    assert refused.error == "HISTORY_CONFLICT"
    assert ">Newer<" in draft_html(service, ONE)


def test_changes_of_an_edit_of_long_html_are_listed(service: Service) -> None:
    edit(service, "New")

    sent = {"lid": PAGE, "get_changes": True}
    [listed] = service.result("landing.landing.history.getList", sent)

    assert [(each["before"], each["after"]) for each in listed["changes"]] == [("Old", "New")]


def test_a_revision_of_long_html_is_merged_with_later_edits(service: Service) -> None:
    mode = {"edit_mode": True, "get_revision": True}
    answer = service.result("landing.block.getlist", {"lid": PAGE, "params": mode})[0]["revision"]
    edit(service, "New")
    edit(service, "Newer")

    mine = {"lid": PAGE, "block": ONE, "data": {".text@1": "Mine"}, "revision": answer}
    service.result(METHOD, mine)
    refused = service.call(METHOD, mine | {"data": {".title": "Mine"}})

    assert refused.error == "REVISION_CONFLICT"
    html = draft_html(service, ONE)
    assert ">Newer<" in html
    assert ">Mine<" in html

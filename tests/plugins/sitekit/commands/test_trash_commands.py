"""The commands `trash` and `page`."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from contract.worlds import DRAFT, PAGE, block, draft_html, page, world
from kernel.commands import Run, done, failure, listing

from landyard.testing import Service
from landyard_content.history.edits import undo

NOW = datetime.now(UTC).replace(microsecond=0)
DAY = timedelta(days=1)
EDIT = "landing.block.updatenodes"


def trashed(page_id: int, days: int, **more: Any) -> Any:
    return page(page_id, deleted=True, deleted_at=(NOW - days * DAY).isoformat(), **more)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """The service that the commands work on."""
    built = world(
        page(PAGE, block(DRAFT)),
        trashed(12, 31, title="[b]Old[/b]"),
        trashed(11, 2, title="New"),
    )
    with Service(data=tmp_path / "data", world=built) as service:
        yield service


def ids(landyard: Run) -> list[int]:
    return [row["id"] for row in listing(landyard("page", "list", "--json"))]


def written(moment: datetime) -> str:
    return str(moment.isoformat().replace("+00:00", "Z"))


@pytest.mark.rule("P9")
def test_trash_list_shows_since_when_and_until_when(service: Service, landyard: Run) -> None:
    assert listing(landyard("trash", "list", "--json")) == [
        {
            "id": page_id,
            "site": 7,
            "title": title,
            "trashed": written(NOW - days * DAY),
            "goes": written(NOW + (30 - days) * DAY),
        }
        for page_id, title, days in ((12, "[b]Old[/b]", 31), (11, "New", 2))
    ]
    assert "[b]Old[/b]" in done(landyard("trash", "list"))


@pytest.mark.rule("P9")
def test_trash_list_without_a_retention(
    service: Service, landyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANDYARD_TRASH__RETENTION_DAYS", "0")

    assert [row["goes"] for row in listing(landyard("trash", "list", "--json"))] == [None, None]


@pytest.mark.rule("P9")
def test_trash_purge_removes_pages_that_are_due(service: Service, landyard: Run) -> None:
    assert done(landyard("trash", "purge")) == "1 page removed for good\n"
    assert ids(landyard) == [PAGE, 11]
    assert done(landyard("trash", "purge")) == "0 pages removed for good\n"


@pytest.mark.parametrize(("words", "stdin"), [(["--yes"], ""), ([], "y\n")])
def test_trash_purge_all_removes_the_rest_too(
    service: Service, landyard: Run, words: list[str], stdin: str
) -> None:
    result = landyard("trash", "purge", "--all", *words, given=stdin)

    assert done(result) == "2 pages removed for good\n"
    assert ids(landyard) == [PAGE]


@pytest.mark.parametrize("stdin", ["", "n\n", "\n"])
def test_without_a_confirmation_nothing_is_removed(
    service: Service, landyard: Run, stdin: str
) -> None:
    result = landyard("trash", "purge", "--all", given=stdin)

    assert result.exit_code == 1
    assert "2 pages" in result.stderr
    assert ids(landyard) == [PAGE, 11, 12]


@pytest.mark.rule("P9")
def test_purge_says_so_where_the_trash_keeps_everything(
    service: Service, landyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANDYARD_TRASH__RETENTION_DAYS", "0")

    result = landyard("trash", "purge")

    assert result.exit_code == 1
    assert "retention_days" in result.stderr
    assert ids(landyard) == [PAGE, 11, 12]
    assert done(landyard("trash", "purge", "--all", "--yes")) == "2 pages removed for good\n"


def test_trash_purge_all_of_an_empty_trash_asks_nothing(service: Service, landyard: Run) -> None:
    landyard("trash", "purge", "--all", "--yes")

    assert done(landyard("trash", "purge", "--all")) == "0 pages removed for good\n"


@pytest.mark.rule("P8")
def test_pages_are_restored_all_or_none(service: Service, landyard: Run) -> None:
    refused = failure(landyard("trash", "restore", "11", "99", str(PAGE)))
    assert all(f"page {each} is not in the trash" in refused for each in (99, PAGE))
    assert [row["id"] for row in listing(landyard("trash", "list", "--json"))] == [12, 11]

    done(landyard("trash", "restore", "12", "11"))
    assert listing(landyard("trash", "list", "--json")) == []


@pytest.mark.rule("B1")
def test_pages_are_published_all_or_none(service: Service, landyard: Run) -> None:
    refused = failure(landyard("page", "publish", str(PAGE), "11", "99"))
    assert all(f"no page {each} outside" in refused for each in (11, 99))
    assert listing(landyard("page", "list", "--json"))[0]["state"] == "hidden"

    done(landyard("trash", "restore", "11"))
    done(landyard("page", "publish", "11", str(PAGE)))
    states = [row["state"] for row in listing(landyard("page", "list", "--json"))]
    assert states == ["public", "public", "in the trash"]


@pytest.mark.rule("B14")
def test_an_edit_is_undone_and_redone(service: Service, landyard: Run) -> None:
    service.result(EDIT, {"lid": PAGE, "block": DRAFT, "data": {".title": "New"}})
    before = draft_html(service)

    done(landyard("page", "undo", str(PAGE)))
    assert ">Old<" in draft_html(service)
    assert "no edit" in failure(landyard("page", "undo", str(PAGE)))
    done(landyard("page", "redo", str(PAGE)))
    assert draft_html(service) == before
    assert "no page 11" in failure(landyard("page", "redo", "11"))


@pytest.mark.rule("B14")
def test_an_undo_that_would_lose_something_is_refused(service: Service, landyard: Run) -> None:
    for more in ({}, {"preventHistory": True}):
        sent = {"lid": PAGE, "block": DRAFT, "data": {".title": f"New {more}"}}
        service.result(EDIT, sent | more)

    assert "outside of the history" in failure(landyard("page", "undo", str(PAGE)))


@pytest.mark.rule("B14")
def test_page_history_lists_the_edits(service: Service, landyard: Run) -> None:
    service.now = NOW
    component = {"bitrix:catalog.section": {"attrs": {"SECTION_ID": "5"}}}
    long = "A title that is too long to be shown\nin one short line"
    for data in ({".title": "Bold"}, component, {".title": long}, {".title": long}):
        service.result(EDIT, {"lid": PAGE, "block": DRAFT, "data": data})
    store = service.kernel.store
    store.run(lambda unit: undo(unit.connection, PAGE, NOW, 1), writes=True)

    listed = listing(landyard("page", "history", str(PAGE), "--json"))

    edit = {"at": written(NOW), "user": 1, "method": EDIT, "block": DRAFT}
    changes = [
        "content: 'O' → 'Bo'",
        "params: '' → '\"bitrix:catalog.section\":{\"SECTION_ID\":…'",
        "content: 'Bold' → 'A title that is too long to be shown in…'",
        "nothing",
    ]
    assert listed == [
        {"id": number, **edit, "changed": change, "undone": number == 4}
        for number, change in enumerate(changes, 1)
    ]
    assert "Bo" in done(landyard("page", "history", str(PAGE)))


def test_a_page_without_edits_has_an_empty_history(service: Service, landyard: Run) -> None:
    assert listing(landyard("page", "history", "11", "--json")) == []
    assert done(landyard("page", "history", "11")) == "none\n"


def test_a_missing_page_is_named(service: Service, landyard: Run) -> None:
    result = landyard("page", "history", "99")

    assert result.exit_code == 1
    assert "99" in result.stderr

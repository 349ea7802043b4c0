"""The words `trash` and `page history` of the command line."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from contract.worlds import DRAFT, PAGE, block, page, world

from landyard.cli import main
from landyard.testing import Service
from landyard_landing import undo

Run = Callable[..., Result]
NOW = datetime.now(UTC).replace(microsecond=0)
DAY = timedelta(days=1)
EDIT = "landing.block.updatenodes"


def trashed(page_id: int, days: int, **more: Any) -> Any:
    return page(page_id, deleted=True, deleted_at=(NOW - days * DAY).isoformat(), **more)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a word in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANDYARD_DATA", str(tmp_path / "data"))
    # Logs are set up for a whole process; here they would outlive the test's output.
    monkeypatch.setattr("landyard.console.configure", lambda *_: None)
    return lambda *words, given="": CliRunner().invoke(main, words, input=given)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """The service that the words work on."""
    built = world(
        page(PAGE, block(DRAFT)),
        trashed(12, 31, title="[b]Old[/b]"),
        trashed(11, 2, title="New"),
    )
    with Service(data=tmp_path / "data", world=built) as service:
        yield service


def done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def listing(result: Result) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = msgspec.json.decode(done(result))
    return listed


def ids(run: Run) -> list[int]:
    return [row["id"] for row in listing(run("page", "list", "--json"))]


def written(moment: datetime) -> str:
    return str(moment.isoformat().replace("+00:00", "Z"))


@pytest.mark.rule("P9")
def test_trash_list_tells_since_when_and_until_when(service: Service, run: Run) -> None:
    assert listing(run("trash", "list", "--json")) == [
        {
            "id": page_id,
            "site": 7,
            "title": title,
            "trashed": written(NOW - days * DAY),
            "goes": written(NOW + (30 - days) * DAY),
        }
        for page_id, title, days in ((12, "[b]Old[/b]", 31), (11, "New", 2))
    ]
    assert "[b]Old[/b]" in done(run("trash", "list"))


@pytest.mark.rule("P9")
def test_trash_list_where_all_is_kept(
    service: Service, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANDYARD_TRASH__RETENTION_DAYS", "0")

    assert [row["goes"] for row in listing(run("trash", "list", "--json"))] == [None, None]


@pytest.mark.rule("P9")
def test_trash_purge_removes_what_is_due(service: Service, run: Run) -> None:
    assert done(run("trash", "purge")) == "1 page removed for good\n"
    assert ids(run) == [PAGE, 11]
    assert done(run("trash", "purge")) == "0 pages removed for good\n"


@pytest.mark.parametrize(("words", "given"), [(["--yes"], ""), ([], "y\n")])
def test_trash_purge_all_removes_the_rest_too(
    service: Service, run: Run, words: list[str], given: str
) -> None:
    result = run("trash", "purge", "--all", *words, given=given)

    assert done(result) == "2 pages removed for good\n"
    assert ids(run) == [PAGE]


@pytest.mark.parametrize("given", ["", "n\n", "\n"])
def test_without_a_yes_nothing_is_removed(service: Service, run: Run, given: str) -> None:
    result = run("trash", "purge", "--all", given=given)

    assert result.exit_code == 1
    assert "2 pages" in result.stderr
    assert ids(run) == [PAGE, 11, 12]


@pytest.mark.rule("P9")
def test_where_the_trash_keeps_for_ever_purge_says_so(
    service: Service, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANDYARD_TRASH__RETENTION_DAYS", "0")

    result = run("trash", "purge")

    assert result.exit_code == 1
    assert "retention_days" in result.stderr
    assert ids(run) == [PAGE, 11, 12]
    assert done(run("trash", "purge", "--all", "--yes")) == "2 pages removed for good\n"


@pytest.mark.rule("B14")
def test_page_history_lists_the_edits(service: Service, run: Run) -> None:
    service.now = NOW
    component = {"bitrix:catalog.section": {"attrs": {"SECTION_ID": "5"}}}
    long = "A title that is too long to be shown\nin one short line"
    for data in ({".title": "Bold"}, component, {".title": long}, {".title": long}):
        service.result(EDIT, {"lid": PAGE, "block": DRAFT, "data": data})
    store = service.kernel.store
    store.run(lambda unit: undo(unit.connection, PAGE, NOW, 1), writes=True)

    listed = listing(run("page", "history", str(PAGE), "--json"))

    told = {"at": written(NOW), "user": 1, "method": EDIT, "block": DRAFT}
    changes = [
        "content: 'O' → 'Bo'",
        "params: '' → '\"bitrix:catalog.section\":{\"SECTION_ID\":…'",
        "content: 'Bold' → 'A title that is too long to be shown in…'",
        "nothing",
    ]
    assert listed == [
        {"id": number, **told, "changed": change, "undone": number == 4}
        for number, change in enumerate(changes, 1)
    ]
    assert "Bo" in done(run("page", "history", str(PAGE)))


def test_a_page_without_edits_has_an_empty_history(service: Service, run: Run) -> None:
    assert listing(run("page", "history", "11", "--json")) == []
    assert done(run("page", "history", "11")) == "none\n"


def test_a_page_that_is_not_there_is_named(service: Service, run: Run) -> None:
    result = run("page", "history", "99")

    assert result.exit_code == 1
    assert "99" in result.stderr

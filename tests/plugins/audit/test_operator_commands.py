"""Each command of the operator that changes something leaves a row in the audit."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from contract.worlds import DRAFT, PAGE, block, page, world
from kernel.commands import Run, done, failure, listing

from landyard.cli.main import main
from landyard.cli.plugin_words import Extended
from landyard.testing import Service

EDIT = "landing.block.updatenodes"
LAST_WEEK = datetime.now(UTC) - timedelta(days=7)

READERS = {
    *("audit", "blocks list", "blocks show", "certificate", "db backup", "db check", "dump"),
    *("endpoint list", "endpoint test", "methods show", "page history"),
    *("page list", "plugins check", "plugins list", "plugins new", "plugins show", "settings"),
    *("site export", "tasks list", "tasks subscribers", "templates list", "theme list"),
    *("token list", "trash list", "user list", "webhook list", "app list"),
}
"""Commands that leave no row of their own."""
ELSEWHERE = {
    "serve",  # it serves and changes nothing
    "db restore",  # see `test_a_restored_service_has_a_row`
    "db upgrade",  # see `test_an_upgrade_leaves_one_row`
    "init",  # see `test_a_new_service_begins_with_a_row`
    "tasks drop",  # shares a function with `retry`
    "undo",  # makes a call, which has a row like any other
}


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    """A data directory with an edited page and two pages in the trash; it is the current folder."""
    trashed: dict[str, Any] = {"deleted": True, "deleted_at": LAST_WEEK.isoformat()}
    built = world(page(PAGE, block(DRAFT)), page(11, **trashed), page(12, **trashed))
    with Service(data=tmp_path / "data", world=built) as service:
        service.result(EDIT, {"lid": PAGE, "block": DRAFT, "data": {".title": "New"}})
    return tmp_path


def rows(landyard: Run) -> list[tuple[str, str]]:
    """Return command and subject of each row that the operator's commands left."""
    return [
        (row["method"].removeprefix("landyard "), row["subject"])
        for row in listing(landyard("audit", "--json", "--last", "1000"))
        if row["credential"].startswith("operator:")
    ]


def commands(group: click.Group, prefix: str = "") -> Iterator[str]:
    """Name every command that can be run."""
    context = click.Context(group, info_name=group.name)
    if isinstance(group, Extended) and prefix:
        context = click.Context(group, click.Context(main), info_name=group.name)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from commands(found, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}"


def test_each_command_that_changes_something_has_a_row(edited: Path, landyard: Run) -> None:
    export = edited / "site.json"
    more = edited / "more.json"
    more.write_bytes(msgspec.json.encode({"users": [{"id": 9, "name": "Bea"}]}))
    left: list[tuple[str, str]] = []
    for switched in ("webhooks", "oauth"):
        done(landyard("plugins", "enable", switched))
        left.append(("plugins enable", f"switch:{switched}"))
    export.write_text(done(landyard("site", "export", "7")))

    def run(*words: str, about: str) -> Any:
        result = landyard(*words)
        done(result)
        depth = 1 if words[0] in {"load", "console"} else 2
        left.append((" ".join(words[:depth]), about))
        return result

    run("load", str(more), about="")
    run("user", "add", "Cleo", about="user:10")
    run("user", "revoke", "10", about="user:10")
    for noun in ("webhook", "token"):
        made = listing(run(noun, "add", "1", "--json", about=""))[0]["id"]
        left[-1] = (f"{noun} add", f"{noun}:{made}")
        run(noun, "rotate", str(made), about=f"{noun}:{made}")
        run(noun, "revoke", str(made), about=f"{noun}:{made}")
    run("page", "undo", str(PAGE), about=f"page:{PAGE}")
    run("page", "redo", str(PAGE), about=f"page:{PAGE}")
    run("page", "unpublish", str(PAGE), about=f"page:{PAGE}")
    run("page", "publish", str(PAGE), about=f"page:{PAGE}")
    run("trash", "restore", "11", about="page:11")
    run("trash", "purge", "--all", "--yes", about="")
    run("site", "add", "second", "--owner", "1", about="site:8")
    run("site", "import", str(export), "--code", "third", about="site:9")
    themes = [row["code"] for row in listing(landyard("theme", "list", "--json"))]
    run("site", "theme", "7", themes[-1], about="site:7")
    run("endpoint", "add", "https://example.org/", "--events", "landing.*", about="endpoint:1")
    for word in ("rotate", "enable", "remove"):
        run("endpoint", word, "1", about="endpoint:1")
    run("app", "add", "An app", "--redirect-uri", "https://example.org/", about="app:1")
    run("app", "revoke", "1", about="app:1")
    orphan = edited / "data" / "files" / "ef" / f"{'ef' * 16}.a.png"
    orphan.parent.mkdir(parents=True)
    orphan.touch()
    os.utime(orphan, (LAST_WEEK.timestamp(),) * 2)
    run("files", "check", "--repair", "--yes", about="")
    run("console", about="user:1")
    run("plugins", "disable", "sharing", about="switch:sharing")
    run("plugins", "enable", "sharing", about="switch:sharing")

    assert rows(landyard) == left
    listed = {words for words, _ in left} | READERS | ELSEWHERE | {"tasks retry"}
    assert set(commands(main)) == listed


def test_a_new_service_begins_with_a_row(landyard: Run) -> None:
    done(landyard("init", "--name", "Ann", "--title", "Tide", "--template", "event"))

    assert rows(landyard) == [("init", "site:1")]


def test_a_command_that_is_refused_or_changes_nothing_has_no_row(
    edited: Path, landyard: Run
) -> None:
    more = edited / "more.json"
    more.write_bytes(msgspec.json.encode({"users": [{"id": 9, "name": "Bea"}]}))
    done(landyard("load", str(more)))

    done(landyard("load", str(more)))
    failure(landyard("page", "publish", str(PAGE), "999"))
    failure(landyard("user", "revoke", "999"))

    assert rows(landyard) == [("load", "")]


def test_a_restored_service_says_so(
    edited: Path, landyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    done(landyard("db", "backup", str(edited / "backup.tar.gz")))
    monkeypatch.setenv("LANDYARD_DATA", str(edited / "restored"))

    done(landyard("db", "restore", str(edited / "backup.tar.gz")))

    assert rows(landyard) == [("db restore", "")]


def test_an_upgrade_is_told_once(landyard: Run) -> None:
    done(landyard("db", "upgrade"))
    done(landyard("db", "upgrade"))

    assert rows(landyard) == [("db upgrade", "")]


def test_a_row_names_the_systems_user(landyard: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "olga")

    done(landyard("user", "add", "Ann"))

    (row,) = listing(landyard("audit", "--json"))
    assert (row["credential"], row["user_id"], row["outcome"]) == ("operator:olga", 0, "ok")

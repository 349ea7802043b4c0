"""The commands: their effects, their output, and their failures."""

import re
from pathlib import Path

import msgspec
import pytest
from corpora import read_data
from kernel.commands import Run, done, failure, listing
from kernel.processes import free_port

from landyard.testing import Service

WORLD = {
    "users": [{"id": 4, "name": "Ann", "admin": True}],
    "webhooks": [{"user": 4, "code": "from-a-world-0123456789", "scopes": ["landing"]}],
}


@pytest.mark.parametrize("how", ["file", "stdin"])
def test_load_and_dump(landyard: Run, tmp_path: Path, how: str) -> None:
    text = msgspec.json.encode(WORLD)
    (tmp_path / "world.json").write_bytes(text)
    words, given = (("world.json",), b"") if how == "file" else (("-",), text)

    first = done(landyard("load", *words, given=given))
    second = done(landyard("load", *words, given=given))
    dumped = msgspec.json.decode(done(landyard("dump")))

    assert first.startswith("2 created, 0 updated, 0 unchanged")
    assert second.startswith("0 created, 0 updated, 2 unchanged")
    assert set(dumped) == {"users"}
    assert dumped["users"][0] | WORLD["users"][0] == dumped["users"][0]


FAILING = read_data(__file__, "FAILING", list[tuple[list[str], str, str]])


@pytest.mark.parametrize(("words", "written", "named"), FAILING)
def test_a_mistake_is_reported_in_one_line(
    landyard: Run, words: list[str], written: str, named: str
) -> None:
    assert named in failure(landyard(*words, given=written.encode()))


@pytest.mark.parametrize(
    ("variable", "text"), read_data(__file__, "WRONG_SETTINGS", list[tuple[str, str]])
)
def test_wrong_settings_are_reported_in_one_line(
    landyard: Run, monkeypatch: pytest.MonkeyPatch, variable: str, text: str
) -> None:
    monkeypatch.setenv(variable, text)

    assert "hushhush" not in failure(landyard("user", "list"))


@pytest.mark.parametrize("words", read_data(__file__, "WRONG_USES", list[list[str]]))
def test_a_wrong_use_exits_with_2(landyard: Run, words: tuple[str, ...]) -> None:
    result = landyard(*words)

    assert result.exit_code == 2
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("words", "meant"), read_data(__file__, "SUGGESTED", list[tuple[list[str], str]])
)
def test_the_nearest_command_and_option_are_suggested(
    landyard: Run, words: list[str], meant: str
) -> None:
    output = landyard(*words).stderr

    assert re.findall(r"did you mean (.*)\?", output) == ([f"'{meant}'"] if meant else [])


def test_db_commands(landyard: Run, tmp_path: Path) -> None:
    assert "lacks landyard_0001" in failure(landyard("db", "check"))
    done(landyard("db", "upgrade"))
    done(landyard("db", "check"))
    with (
        Service(data=tmp_path / "data", world={}) as service,
        service.kernel.store.session(writes=True) as session,
    ):
        session.connection().exec_driver_sql("DROP TABLE landyard_token")

    assert "differs" in failure(landyard("db", "check"))


@pytest.mark.parametrize("words", [("user", "list"), ("serve",), ("load", "-"), ("dump",)])
def test_a_database_of_a_newer_version_is_refused(
    landyard: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("LANDYARD_PORT", str(free_port()))  # another test may use the default port
    with (
        Service([], data=tmp_path / "data", world={}) as service,
        service.kernel.store.session(writes=True) as session,
    ):
        newer = "UPDATE alembic_landyard SET version_num = 'landyard_9999'"
        session.connection().exec_driver_sql(newer)

    assert "newer version" in failure(landyard(*words, given=b"{}"))


def test_methods_and_settings(landyard: Run) -> None:
    methods = listing(landyard("methods", "--json"))
    settings = {each["setting"]: each["value"] for each in listing(landyard("settings", "--json"))}

    assert "landing.block.updatenodes" in [method["name"] for method in methods]
    assert "landing.block.updatenodes" in done(landyard("methods"))
    assert settings["threads"] == 4
    assert settings["blocks.verify_writes"] is False
    assert "blocks.verify_writes" in done(landyard("settings"))


def test_a_check_of_the_settings_names_each_mistake(
    landyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = landyard("settings", "--check")
    for name in ("WORKRES", "THREADS", "TRASH__RETENTION_DAY", "BLOCKS__VERIFY_WRITES"):
        monkeypatch.setenv(f"LANDYARD_{name}", "many")
    wrong = landyard("settings", "--check")

    assert right.exit_code == 0
    assert (wrong.exit_code, wrong.stdout) == (1, "")
    named = sorted(wrong.stderr.removeprefix("Error: ").splitlines())
    assert len(named) == 4, wrong.stderr
    assert named[0].startswith("LANDYARD_THREADS: must be")
    assert named[1].startswith("blocks.verify_writes: ")
    assert named[2].endswith("LANDYARD_WORKRES; did you mean 'workers'?")
    assert named[3].endswith("trash.retention_day; did you mean 'retention_days'?")


def test_a_mistake_in_one_place_hides_none_in_another(
    landyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = ("DATABASE_URL", "PLUGINS__OFFF", "BLOCKS__VERIFY_WRITES", "FILES__NAME", "NOBODY__X")
    for name in wrong:
        monkeypatch.setenv(f"LANDYARD_{name}", "many")

    lines = landyard("settings", "--check").stderr.removeprefix("Error: ").splitlines()

    assert {re.split(r"[:;]", line)[0].rpartition(" ")[2] for line in lines} == {
        *("plugins.offf", "database_url", "files.name", "blocks.verify_writes", "'nobody'")
    }


def test_settings_hide_the_password(landyard: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANDYARD_DATABASE_URL", "postgresql://nobody:hushhush@127.0.0.1:1/none")

    assert "hushhush" not in done(landyard("settings")) + done(landyard("settings", "--json"))


def test_demo_is_refused_on_a_service_in_use(landyard: Run) -> None:
    done(landyard("user", "add", "Ann"))

    assert "in use" in failure(landyard("serve", "--demo"))
    assert listing(landyard("webhook", "list", "--json")) == []


def test_reading_commands_create_no_files(landyard: Run, tmp_path: Path) -> None:
    done(landyard("methods"))
    done(landyard("settings"))
    done(landyard("plugins", "list"))
    done(landyard("plugins", "show", "landing"))
    done(landyard("--help"))

    assert not (tmp_path / "data").exists()


def test_an_empty_listing_says_that_there_was_no_service(landyard: Run) -> None:
    first, again = landyard("webhook", "list"), landyard("webhook", "list")

    assert (first.output, again.output) == ("none\n" + first.stderr, "none\n")
    assert "there was no service" in first.stderr
    assert "LANDYARD_DATA" in first.stderr


def test_plugins_switched_together_with_another_are_named(landyard: Run) -> None:
    landyard("plugins", "disable", "blocks")

    those = (
        "content, catalogue, public, pages, pictures, forms, redirects, repository, roles, sharing,"
        " sitekit, console, demos, sites"
    )
    text = f"and with it {those};"
    assert text in landyard("plugins", "disable", "landing").output
    assert text in landyard("plugins", "enable", "landing").output
    assert "with it" not in landyard("plugins", "disable", "audit").output

"""The command line's words: what they do, what they print, how they fail."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from corpora import read_data
from kernel.commands import Run, done, failure, listing

from landyard.testing import Service
from landyard.web.wire import Incoming

WORLD = {
    "users": [{"id": 4, "name": "Ann", "admin": True}],
    "webhooks": [{"user": 4, "code": "from-a-world-0123456789", "scopes": ["landing"]}],
}


def test_user_words(landyard: Run) -> None:
    made = listing(landyard("user", "add", "Ann", "--admin", "--json"))
    done(landyard("user", "add", "Ben"))
    done(landyard("user", "revoke", "2"))

    assert made == [{"id": 1, "name": "Ann", "admin": True}]
    assert listing(landyard("user", "list", "--json")) == [
        {"id": 1, "name": "Ann", "admin": True, "active": True},
        {"id": 2, "name": "Ben", "admin": False, "active": False},
    ]
    assert "Ben" in done(landyard("user", "list"))


def test_no_two_users_have_one_name(landyard: Run) -> None:
    done(landyard("user", "add", "Ann"))

    assert "user 1 is called Ann already" in failure(landyard("user", "add", " Ann "))


def answered(tmp_path: Path, incoming: Incoming) -> str | None:
    with Service(data=tmp_path / "data", world={}) as service:
        return service.send(incoming).error


def test_a_webhook_is_shown_once_works_and_is_revoked(landyard: Run, tmp_path: Path) -> None:
    done(landyard("user", "add", "Ann"))
    words = ("--scope", "landing", "--scope", "crm", "--title", "t", "--json")
    made = listing(landyard("webhook", "add", "1", *words))
    address = made[0]["address"]
    assert made[0]["id"] == 1
    secret = address.rstrip("/").rpartition("/")[2]
    call = Incoming("POST", f"/1/{secret}/methods")

    assert answered(tmp_path, call) is None
    listed = {"id": 1, "user_id": 1, "scopes": ["landing", "crm"], "title": "t", "active": True}
    assert listing(landyard("webhook", "list", "--json")) == [
        {**listed, "expires_at": None, "last_used_at": None, "replaced_by": None}
    ]
    assert secret not in done(landyard("webhook", "list"))
    done(landyard("webhook", "revoke", "1"))
    assert answered(tmp_path, call) == "INVALID_CREDENTIALS"


def test_a_token_is_shown_once_works_and_is_revoked(landyard: Run, tmp_path: Path) -> None:
    done(landyard("user", "add", "Ann"))
    made = listing(landyard("token", "add", "1", "--scope", "landing", "--hours", "1", "--json"))
    secret = made[0]["token"]
    call = Incoming("POST", "/methods", authorization=f"Bearer {secret}")

    assert answered(tmp_path, call) is None
    assert secret not in done(landyard("token", "list")) + done(landyard("token", "list", "--json"))
    listed = listing(landyard("token", "list", "--json"))[0]
    assert made[0]["id"] == listed["id"] == 1
    assert listed["scopes"] == ["landing"]
    assert listed["expires_at"] == made[0]["expires_at"] is not None
    done(landyard("token", "revoke", "1"))
    assert answered(tmp_path, call) == "invalid_token"


@pytest.mark.parametrize(("noun", "name"), [("webhook", "address"), ("token", "token")])
def test_a_credential_is_rotated(landyard: Run, noun: str, name: str) -> None:
    done(landyard("user", "add", "Ann"))
    old = listing(landyard(noun, "add", "1", "--scope", "landing", "--hours", "48", "--json"))[0]
    new = listing(landyard(noun, "rotate", "1", "--overlap", "1", "--json"))[0]
    rows = listing(landyard(noun, "list", "--json"))

    assert (new["id"], new["replaces"], new["expires_at"]) == (2, 1, old["expires_at"])
    assert new[name] != old[name]
    ends = [old["expires_at"], new["replaced_until"]]
    assert [row["expires_at"] for row in rows] == [new["replaced_until"], old["expires_at"]]
    assert [row["replaced_by"] for row in rows] == [2, None]
    assert f"{noun} 1 is replaced by {noun} 2" in failure(landyard(noun, "rotate", "1"))
    first, second = (msgspec.convert(moment, datetime) for moment in sorted(ends))
    assert timedelta(hours=46) < second - first < timedelta(hours=48)


@pytest.mark.parametrize("noun", ["webhook", "token"])
def test_a_rotation_says_what_changes_and_when_the_old_one_ends(landyard: Run, noun: str) -> None:
    done(landyard("user", "add", "Ann"))
    done(landyard(noun, "add", "1"))
    before = datetime.now(UTC)
    said = done(landyard(noun, "rotate", "1"))
    ends = listing(landyard(noun, "list", "--json"))[0]["expires_at"]

    assert re.search(r"\bly[wt]_[A-Za-z0-9_-]{51}/?$", said, re.MULTILINE)
    assert "id 2 takes the place of id 1" in said
    assert ends.partition(".")[0] in said
    day = msgspec.convert(ends, datetime) - before
    assert timedelta(hours=24) <= day < timedelta(hours=24, minutes=5)


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


@pytest.mark.parametrize(("words", "given", "named"), FAILING)
def test_what_is_wrong_is_said_in_one_line(
    landyard: Run, words: list[str], given: str, named: str
) -> None:
    assert named in failure(landyard(*words, given=given.encode()))


@pytest.mark.parametrize(
    ("variable", "text"), read_data(__file__, "WRONG_SETTINGS", list[tuple[str, str]])
)
def test_wrong_settings_are_said_in_one_line(
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
def test_the_nearest_word_and_option_are_suggested(
    landyard: Run, words: list[str], meant: str
) -> None:
    told = landyard(*words).stderr

    assert re.findall(r"did you mean (.*)\?", told) == ([f"'{meant}'"] if meant else [])


def test_db_words(landyard: Run, tmp_path: Path) -> None:
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
    landyard: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
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


def test_a_check_of_the_settings_names_each_that_is_wrong(
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


def test_settings_hide_the_password(landyard: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANDYARD_DATABASE_URL", "postgresql://nobody:hushhush@127.0.0.1:1/none")

    assert "hushhush" not in done(landyard("settings")) + done(landyard("settings", "--json"))


def test_demo_is_refused_on_a_service_in_use(landyard: Run) -> None:
    done(landyard("user", "add", "Ann"))

    assert "in use" in failure(landyard("serve", "--demo"))
    assert listing(landyard("webhook", "list", "--json")) == []


def test_reading_leaves_no_traces(landyard: Run, tmp_path: Path) -> None:
    done(landyard("methods"))
    done(landyard("settings"))
    done(landyard("plugins", "list"))
    done(landyard("plugins", "show", "landing"))
    done(landyard("--help"))

    assert not (tmp_path / "data").exists()


def test_a_listing_of_nothing_says_that_there_was_no_service(landyard: Run) -> None:
    first, again = landyard("webhook", "list"), landyard("webhook", "list")

    assert (first.output, again.output) == ("none\n" + first.stderr, "none\n")
    assert "there was no service" in first.stderr
    assert "LANDYARD_DATA" in first.stderr


def test_what_goes_off_with_a_plugin_and_comes_back_with_it_is_named(landyard: Run) -> None:
    landyard("plugins", "disable", "blocks")

    assert "and with it pages, uploads;" in landyard("plugins", "disable", "landing").output
    assert "and with it pages, uploads;" in landyard("plugins", "enable", "landing").output
    assert "with it" not in landyard("plugins", "disable", "audit").output

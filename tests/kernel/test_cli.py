"""The command line's words: what they do, what they print, how they fail."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from landyard.cli import main
from landyard.testing import Service
from landyard.wire import Incoming

Run = Callable[..., Result]
WORLD = {
    "users": [{"id": 4, "name": "Ann", "admin": True}],
    "webhooks": [{"user": 4, "code": "from-a-world-0123456789", "scopes": ["landing"]}],
}


@pytest.fixture
def landyard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a word in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANDYARD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LANDYARD_LOG_LEVEL", "error")
    # Logs are set up for a whole process; here they would outlive the test's output.
    monkeypatch.setattr("landyard.console.configure", lambda *_: None)

    def run(*words: str, given: bytes = b"") -> Result:
        return CliRunner().invoke(main, words, input=given)

    return run


def done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def listing(result: Result) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = msgspec.json.decode(done(result))
    return listed


def failure(result: Result) -> str:
    """The one line that says what is wrong."""
    assert result.exit_code == 1
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("Error: ")
    return lines[0]


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


def answered(tmp_path: Path, incoming: Incoming) -> str | None:
    with Service(data=tmp_path / "data", world={}) as service:
        return service.send(incoming).error


def test_a_webhook_is_shown_once_works_and_is_revoked(landyard: Run, tmp_path: Path) -> None:
    done(landyard("user", "add", "Ann"))
    added = (
        "webhook",
        "add",
        "1",
        "--scope",
        "landing",
        "--scope",
        "crm",
        "--title",
        "t",
        "--json",
    )
    made = listing(landyard(*added))
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


def test_secrets_are_printed_whole_however_narrow_the_terminal(
    landyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    done(landyard("user", "add", "Ann"))

    shown = done(landyard("webhook", "add", "1")) + done(landyard("token", "add", "1"))

    assert len(re.findall(r"\bly[wt]_[A-Za-z0-9_-]{49}/?$", shown, re.MULTILINE)) == 2


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
    before = datetime.now(UTC).replace(microsecond=0)
    said = done(landyard(noun, "rotate", "1"))
    ends = listing(landyard(noun, "list", "--json"))[0]["expires_at"]

    assert re.search(r"\bly[wt]_[A-Za-z0-9_-]{49}/?$", said, re.MULTILINE)
    assert "id 2 takes the place of id 1" in said
    assert ends.removesuffix("Z") in said
    day = msgspec.convert(ends, datetime) - before
    assert timedelta(hours=24) <= day < timedelta(hours=24, minutes=5)


@pytest.mark.parametrize("noun", ["webhook", "token"])
@pytest.mark.parametrize(
    ("scopes", "warned"), [(["landing"], []), (["landing", "crm"], ["'crm'"]), ([], ["without"])]
)
def test_a_scope_that_opens_nothing_is_warned_of(
    landyard: Run, noun: str, scopes: list[str], warned: list[str]
) -> None:
    done(landyard("user", "add", "Ann"))

    made = landyard(noun, "add", "1", *(word for scope in scopes for word in ("--scope", scope)))

    assert made.exit_code == 0
    lines = made.stderr.splitlines()
    assert len(lines) == len(warned)
    assert all(line.startswith("Warning: ") and line.endswith(": landing") for line in lines)
    assert all(text in line for text, line in zip(warned, lines, strict=True))


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


FAILING: list[tuple[tuple[str, ...], bytes, str]] = [
    (("load", "-"), b"{", "world file"),
    (("load", "-"), b'{"users": [{"id": 0}]}', "users[0].id"),
    (("load", "-"), b"", "world file"),
    (("load", "no-such-file.json"), b"", "no-such-file.json"),
    (("load", "."), b"", "."),
    (("webhook", "add", "99"), b"", "99"),
    (("token", "add", "99"), b"", "99"),
    (("user", "revoke", "99"), b"", "99"),
    (("webhook", "revoke", "99"), b"", "99"),
    (("token", "revoke", "99"), b"", "99"),
    (("webhook", "rotate", "99"), b"", "99"),
    (("token", "rotate", "99"), b"", "99"),
    (("page", "publish", "99"), b"", "99"),
    (("db", "check"), b"", "empty"),
]


@pytest.mark.parametrize(("words", "given", "named"), FAILING)
def test_what_is_wrong_is_said_in_one_line(
    landyard: Run, words: tuple[str, ...], given: bytes, named: str
) -> None:
    assert named in failure(landyard(*words, given=given))


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("LANDYARD_THREADS", "many"),
        ("LANDYARD_DATABASE_URL", "postgresql://nobody:hushhush@127.0.0.1:1/none"),
        ("LANDYARD_DATABASE_URL", "mongodb://x/y"),
        ("LANDYARD_DATABASE_URL", "not a url"),
        ("LANDYARD_DATA", "/proc/none"),
        ("LANDYARD_NOBODY__KNOWS", "1"),
    ],
)
def test_wrong_settings_are_said_in_one_line(
    landyard: Run, monkeypatch: pytest.MonkeyPatch, variable: str, text: str
) -> None:
    monkeypatch.setenv(variable, text)

    assert "hushhush" not in failure(landyard("user", "list"))


@pytest.mark.parametrize(
    "words",
    [
        ("no-such-word",),
        ("user",),
        ("user", "add"),
        ("user", "revoke", "x"),
        ("user", "revoke", str(2**70)),
        ("webhook", "add", str(2**70)),
        ("token", "revoke", "-1"),
        ("token", "add", "1", "--hours", "0"),
        ("webhook", "add", "1", "--hours", "-1"),
        ("webhook", "add", "1", "--hours", "nan"),
        ("webhook", "rotate", "1", "--overlap", "-1"),
        ("token", "rotate", "1", "--overlap", "nan"),
        ("token", "rotate", "1", "--overlap", "1e9"),
        ("audit", "--user", str(2**63)),
        ("audit", "--user", "-1"),
        ("audit", "--last", str(2**63)),
        ("audit", "--last", "0"),
        ("audit", "--since", "0001-01-01T00:00+05:00"),
        ("audit", "--since", "9999-12-31T23:59-05:00"),
        ("audit", "--since", "yesterday"),
    ],
)
def test_a_wrong_use_exits_with_2(landyard: Run, words: tuple[str, ...]) -> None:
    result = landyard(*words)

    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_db_words(landyard: Run, tmp_path: Path) -> None:
    assert "empty" in failure(landyard("db", "check"))
    done(landyard("db", "upgrade"))
    done(landyard("db", "check"))
    with (
        Service(data=tmp_path / "data", world={}) as service,
        service.kernel.store.session(writes=True) as session,
    ):
        session.connection().exec_driver_sql("DROP TABLE landyard_token")

    assert "differs" in failure(landyard("db", "check"))


@pytest.mark.parametrize("words", [("user", "list"), ("serve",), ("load", "-"), ("dump",)])
def test_a_database_that_is_behind_is_refused(
    landyard: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with (
        Service([], data=tmp_path / "data", world={}) as service,
        service.kernel.store.session(writes=True) as session,
    ):
        behind = "UPDATE alembic_landyard SET version_num = 'landyard_0004'"
        session.connection().exec_driver_sql(behind)

    assert "landyard db upgrade" in failure(landyard(*words, given=b"{}"))


def test_methods_and_settings(landyard: Run) -> None:
    methods = listing(landyard("methods", "--json"))
    settings = {each["setting"]: each["value"] for each in listing(landyard("settings", "--json"))}

    assert "landing.block.updatenodes" in [method["name"] for method in methods]
    assert "landing.block.updatenodes" in done(landyard("methods"))
    assert settings["threads"] == 4
    assert settings["blocks.verify_writes"] is False
    assert "blocks.verify_writes" in done(landyard("settings"))


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
    done(landyard("--help"))

    assert not (tmp_path / "data").exists()

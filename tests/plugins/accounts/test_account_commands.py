"""The commands `landyard user`, `webhook` and `token`: new credentials work, are shown once, and
end.
"""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from kernel.commands import Run, done, failure, listing

from landyard.testing import Service
from landyard.web.wire import Incoming


def test_the_commands_for_users(landyard: Run) -> None:
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
    output = done(landyard(noun, "rotate", "1"))
    ends = listing(landyard(noun, "list", "--json"))[0]["expires_at"]

    assert re.search(r"\bly[wt]_[A-Za-z0-9_-]{51}/?$", output, re.MULTILINE)
    assert "id 2 takes the place of id 1" in output
    assert ends.partition(".")[0] in output
    day = msgspec.convert(ends, datetime) - before
    assert timedelta(hours=24) <= day < timedelta(hours=24, minutes=5)

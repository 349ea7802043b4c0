"""Logs: a crash is found under its request id, and no secret is found anywhere."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import structlog
from kernel.processes import Server, serving
from kernel.supervised import until

from landyard.logs import _write_blanked, _write_json, _write_plain, hidden, without_secrets

HOOK = "hook-of-logs-0123456789"
TOKEN = "token-of-logs-0123456789"
EXPIRED = "expired-of-logs-0123456789"
WRONG_HOOK = "wrong-hook-0123456789"
WRONG_TOKEN = "wrong-token-0123456789"
BEARER = "bearer-of-logs-0123456789"
PASSWORD = "password-in-a-parameter"
SECRETS = [HOOK, TOKEN, EXPIRED, WRONG_HOOK, WRONG_TOKEN, BEARER, PASSWORD]

# `landyard serve` with one more plugin, whose method crashes with its parameters in its frames.
RUNNER = '''
import os
import sys

import msgspec
import sqlalchemy as sa
from landyard import Call, Kernel, MethodGroup, Plugin, hookimpl, load_settings
from landyard.cli.main import main
from msgspec import Struct

WORLD = {
    "users": [{"id": 1}],
    "webhooks": [{"user": 1, "code": os.environ["HOOK"], "scopes": ["sample"]}],
    "tokens": [
        {"user": 1, "token": os.environ["TOKEN"], "scopes": ["sample"]},
        {"user": 1, "token": os.environ["BEARER"], "scopes": ["sample"]},
        {"user": 1, "token": os.environ["EXPIRED"], "expires_at": "2001-01-01T00:00:00Z"},
    ],
}
group = MethodGroup(scope="sample")


class Login(Struct):
    password: str = ""


@group.method("sample.crash")
def crash(call: Call, params: Login) -> None:
    """Crash in a frame that knows everything."""
    credential, password = call.request.credential, params.password
    raise ZeroDivisionError


@group.method("sample.database")
def database(call: Call, params: Login) -> None:
    """Crash in the database."""
    call.session.execute(sa.text("SELECT :password FROM nowhere"), {"password": params.password})


@group.method("sample.telling")
def telling(call: Call, params: Login) -> None:
    """Crash with a text that tells what the frame knows."""
    raise PermissionError(f"not with {call.request.credential.secret}")


class Crashing:
    @hookimpl
    def register_methods(self):
        return group


import landyard.plugin_host.lifecycle
import landyard.web.lifespan
from landyard.plugin_host.discovery import Found

PLUGIN = Crashing()
landyard.plugin_host.lifecycle.found = lambda: [Found("sample", "__main__:PLUGIN")]
landyard.web.lifespan.RECORDED_EVERY = 0.1
kernel = Kernel(load_settings())
kernel.schema.prepare(kernel.store)
kernel.load(msgspec.json.encode(WORLD))
kernel.close()
main(["serve", *sys.argv[1:]])
'''


@pytest.fixture(scope="module", params=["json", "console"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server that was called with every secret, in every way that fails and succeeds."""
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "runner.py").write_text(RUNNER)
    with serving(
        folder,
        program=[sys.executable, "runner.py"],
        LANDYARD_LOG_LEVEL="debug",
        LANDYARD_LOG_FORMAT=request.param,
        HOOK=HOOK,
        TOKEN=TOKEN,
        EXPIRED=EXPIRED,
        BEARER=BEARER,
    ) as server:
        for method, body in CALLS:
            ask_in_every_way(server, method, body)
        yield server


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("sample.crash", {"password": PASSWORD}),
    ("sample.database", {"password": PASSWORD}),
    ("sample.none", {"password": PASSWORD}),
    ("sample.crash", {"password": [PASSWORD]}),
    ("sample.telling", {"password": PASSWORD}),
]


def ask_in_every_way(server: Server, method: str, body: dict[str, Any]) -> None:
    for path, more, bearer in [
        (f"/rest/1/{HOOK}/{method}", {}, ""),
        (f"/rest/1/{WRONG_HOOK}/{method}", {}, ""),
        (f"/rest/{HOOK}/{WRONG_HOOK}/{method}", {}, ""),
        (f"/rest/{HOOK}/{method}", {}, ""),  # without the user
        (f"/rest/{HOOK}", {}, ""),  # and without the method
        (f"/rest/1/{HOOK}/{method}/more", {}, ""),
        (f"/rest/{method}", {"auth": TOKEN}, ""),
        (f"/rest/{method}", {"auth": WRONG_TOKEN}, ""),
        (f"/rest/{method}?auth={TOKEN}", {}, ""),
        (f"/rest/{method}?auth={EXPIRED}", {}, ""),
        (f"/rest/{method}", {}, f"Bearer {BEARER}"),
        (f"/rest/{method}", {}, f"Bearer {WRONG_TOKEN}"),
        (f"/{HOOK}/{method}", {}, ""),
    ]:
        headers = {"Authorization": bearer, "X-Request-Id": "under-this-id", "Cookie": TOKEN}
        server.ask("POST", path, {**body, **more}, headers)
        server.ask("PUT", path, {**body, **more}, headers)
    server.ask("POST", f"/rest/1/{HOOK}/{method}", headers={"Content-Type": "multipart/form-data"})


def test_the_output_of_the_server_contains_no_secret(server: Server) -> None:
    said = server.out + server.err

    assert "call_crashed" in said
    assert [secret for secret in SECRETS if secret in said] == []


def test_no_file_of_the_server_contains_a_secret(server: Server) -> None:
    files = [path for path in (server.folder / "data").rglob("*") if path.is_file()]
    # The last reason of a failure is stored a moment later.
    until(lambda: any(b"PermissionError: not with " in path.read_bytes() for path in files))

    assert "landyard.db" in {path.name for path in files}
    found = [
        (path.name, secret)
        for path in files
        for secret in SECRETS
        if secret.encode() in path.read_bytes()
    ]
    assert found == []


@pytest.mark.rule("C11", "C14")
def test_C11_a_crash_is_logged_with_its_traceback_and_request_id(server: Server) -> None:
    assert "ZeroDivisionError" in server.err
    assert "under-this-id" in server.err


@pytest.mark.parametrize("server", ["json"], indirect=True)
def test_a_json_log_is_one_event_a_line(server: Server) -> None:
    events = [msgspec.json.decode(line) for line in server.err.splitlines()]
    crashed = [event for event in events if event["event"] == "call_crashed"]

    assert "under-this-id" in {event["request_id"] for event in crashed}
    assert {event["exception"][0]["exc_type"] for event in crashed} == {
        "ZeroDivisionError",
        "OperationalError",
        "PermissionError",
    }
    assert all(event["timestamp"] and event["level"] for event in events)
    # A request refused before it was a call names the method it asked for.
    refused = [event for event in events if event["event"] == "request_refused"]
    assert ("sample", "sample.crash") in {
        (event.get("plugin"), event.get("method")) for event in refused
    }


@pytest.mark.parametrize(
    "more",
    [
        *({}, {"path": "/a/", "status": 200, "ms": 0.5}, {"reason": "it is 'so'"}, {"n": None}),
        *({"url": "a=b"}, {"line": "one\ntwo"}, {"b": b"x", "a": [1]}, {"word": "größer"}),
    ],
)
def test_a_plain_line_is_formatted_by_structlog(more: dict[str, Any]) -> None:
    console = structlog.dev.ConsoleRenderer(colors=False)
    event = {"event": "page_served", "level": "info", "timestamp": "2026-01-02T03:04:05Z", **more}

    assert _write_plain(None, None, "info", dict(event)) == console(None, "info", dict(event))


@pytest.mark.parametrize("value", [1 << 80, "\ud800", {1: object()}, b"x", ValueError("no")])
def test_any_value_can_be_written_as_json(value: object) -> None:
    assert json.loads(_write_json(None, "info", {"event": "told", "value": value}))["event"]


@pytest.mark.parametrize(
    ("everywhere", "crash", "kept"),
    [(False, False, True), (False, True, False), (True, False, False)],
)
def test_an_unknown_caller_cannot_blank_words_of_other_lines(
    everywhere: bool, crash: bool, kept: bool
) -> None:
    """A caller who is not authenticated may send any word as a secret, also words of our log."""

    def render(_logger: Any, _name: str, event: Any) -> str:
        return f"{event['event']} INVALID_CREDENTIALS"

    hidden.set(("INVALID_CREDENTIALS", everywhere))

    line = _write_blanked([render], None, "info", {"event": "call_failed", "exc_info": crash})

    hidden.set(("", False))
    assert ("INVALID_CREDENTIALS" in line) is kept


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://cdn.example/a?b=c", "https://cdn.example/a?b=c"),
        ("https://ann:hush@cdn.example/a", "https://ann:…@cdn.example/a"),
        (
            "s3://b/p?access_key_id=K&secret_access_key=hush&region=x&session_token=hush",
            "s3://b/p?access_key_id=K&secret_access_key=…&region=x&session_token=…",
        ),
        ("az://b/p?Account_Key=hush==", "az://b/p?Account_Key=…"),
    ],
)
def test_a_url_is_shown_without_its_secrets(url: str, shown: str) -> None:
    assert without_secrets(url) == shown

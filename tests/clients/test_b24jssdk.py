"""@bitrix24/b24jssdk, the official JavaScript client.

It is installed by `npm ci` in the folder `typescript`.
"""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from clients.conftest import TOKEN, WEBHOOK, Demo
from clients.story import PROVEN, REFUSALS, live
from clients.test_generated_typescript import FOLDER

NODE = shutil.which("node")
TITLE = ".landing-block-node-title"
READ, EDIT = "landing.block.getlist", "landing.block.updatenodes"
WAIT = 120.0

# For each line with a method and its parameters, or with a batch, it prints the answer or the
# error's code.
PROGRAM = """
const { B24Hook, B24OAuth } = require('@bitrix24/b24jssdk')
const { hook, oauth, app } = JSON.parse(process.argv[1])
const b24 = hook ? B24Hook.fromWebhookUrl(hook) : new B24OAuth(oauth, app)
b24.offClientSideWarning()
const { call, batch } = b24.actions.v2
const send = async asked => {
  try {
    const answer = asked.batch
      ? await batch.make({ calls: asked.batch, options: { isHaltOnError: false } })
      : await call.make(asked)
    return answer.isSuccess ? answer.getData() : { error: [...answer.getErrors()][0].code }
  } catch (error) {
    return { error: error.code }
  }
}
;(async () => {
  for await (const line of require('readline').createInterface({ input: process.stdin })) {
    console.log('>' + JSON.stringify(await send(JSON.parse(line))))
  }
})()
"""


class Program:
    """The program above, running: one process for all calls of a credential."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def send(self, command: dict[str, Any]) -> Any:
        """Send a line, and read the answer; the client itself may print other lines."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(msgspec.json.encode(command) + b"\n")
        stdin.flush()
        line = next(line for line in stdout if line.startswith(b">"))
        return msgspec.json.decode(line[1:])

    def ask(self, method: str, **params: Any) -> Any:
        """Call, and return the whole answer, or the error's code as `error`."""
        return self.send({"method": method, "params": params})

    def call(self, method: str, **params: Any) -> Any:
        """Call, and return the result; fails where the call does."""
        came = self.ask(method, **params)
        assert "error" not in came, came
        return came["result"]

    def batch(self, commands: Mapping[str, tuple[str, dict[str, Any]]]) -> Any:
        """Send several calls at once; return each key's result."""
        calls = {key: {"method": name, "params": sent} for key, (name, sent) in commands.items()}
        came = self.send({"batch": calls})
        assert "error" not in came, came
        return came


@pytest.fixture(scope="module")
def webhook(demo: Demo) -> Iterator[Program]:
    with _running(demo, hook=f"https://{demo.https}/rest/1/{WEBHOOK}/") as program:
        yield program


@pytest.fixture(scope="module")
def oauth(demo: Demo) -> Iterator[Program]:
    with running(demo, accessToken=TOKEN) as program:
        yield program


@pytest.mark.rule("call: path of a webhook", "call: result and time")
def test_5_a_webhook_over_https(webhook: Program) -> None:
    edited = webhook.ask(EDIT, lid=12, block=121, data={TITLE: "Tide @ ten"})
    read = webhook.call(READ, lid=12, params={"edit_mode": True, "get_content": True})

    assert edited["result"] is True
    assert {"start", "finish", "duration", "processing", "operating"} <= edited["time"].keys()
    assert "Tide @ ten" in next(it["content"] for it in read if it["id"] == 121)


@pytest.mark.rule("call: path of a token", "call: error")
def test_5_a_token_over_http(oauth: Program) -> None:
    read = oauth.call(READ, lid=12, params={"edit_mode": True})

    assert [block["id"] for block in read] == list(range(116, 123))
    assert oauth.ask(READ, lid=999) == {"error": "LANDING_NOT_EXIST"}
    assert oauth.ask("landing.x") == {"error": "ERROR_METHOD_NOT_FOUND"}


@pytest.mark.rule(*PROVEN, "call: path of a webhook")
def test_4_a_page_lives_by_a_webhook(demo: Demo, webhook: Program) -> None:
    live(webhook.call, demo, "js", webhook.batch)


@pytest.mark.rule(*PROVEN, "call: path of a token")
def test_4_a_page_lives_by_a_token(demo: Demo, oauth: Program) -> None:
    live(oauth.call, demo, "js-token", oauth.batch)


@pytest.mark.rule("call: error", *(f"{method} {code}" for method, _, code in REFUSALS))
def test_7_refusals_are_reported_with_their_codes(webhook: Program) -> None:
    refusals = [webhook.ask(method, **params) for method, params, _ in REFUSALS]

    assert refusals == [{"error": code} for *_, code in REFUSALS]


@contextmanager
def running(
    demo: Demo, client_id: str = "app", client_secret: str = "secret", **tokens: Any
) -> Iterator[Program]:
    """Run the client as an app, with its tokens; its other settings are made up."""
    usual = {
        "accessToken": "-", "refreshToken": "-", "expires": 4_000_000_000,
        "expiresIn": 3600, "domain": demo.http, "memberId": "-", "status": "L",
        "clientEndpoint": f"{demo.http}/rest/", "serverEndpoint": f"{demo.http}/rest/",
        "applicationToken": "-", "userId": 1, "scope": "landing", "issuer": "store",
    }  # fmt: skip
    secret = {"clientId": client_id, "clientSecret": client_secret}
    with _running(demo, oauth={**usual, **tokens}, app=secret) as program:
        yield program


@contextmanager
def _running(demo: Demo, **credential: Any) -> Iterator[Program]:
    if NODE is None:
        pytest.skip("no node here")
    if not (FOLDER / "node_modules" / "@bitrix24" / "b24jssdk").is_dir():
        pytest.skip("no client here: `npm ci` in tests/clients/typescript")
    words = [NODE, "-e", PROGRAM, msgspec.json.encode(credential).decode()]
    variables = {**os.environ, "NODE_EXTRA_CA_CERTS": str(demo.authority)}
    process = subprocess.Popen(
        words, cwd=FOLDER, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    alarm = threading.Timer(WAIT, process.kill)  # a hanging program ends the test
    alarm.start()
    try:
        with process:  # closing its input ends the program
            yield Program(process)
    finally:
        alarm.cancel()

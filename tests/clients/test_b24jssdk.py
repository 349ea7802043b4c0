"""@bitrix24/b24jssdk, the official JavaScript client.

It is installed by `npm ci` in the folder `typescript`.
"""

import os
import shutil
import subprocess
from typing import Any

import msgspec
import pytest
from clients.conftest import TOKEN, WEBHOOK, Demo
from clients.story import PROVEN, REFUSALS, Client, live
from clients.test_generated_typescript import FOLDER

NODE = shutil.which("node")
TITLE = ".landing-block-node-title"
READ = ["landing.block.getlist", {"lid": 12, "params": {"edit_mode": True, "get_content": True}}]
EDIT = ["landing.block.updatenodes", {"lid": 12, "block": 121, "data": {TITLE: "Tide @ ten"}}]

# Prints what each call came to: its result, or its error's code.
PROGRAM = """
const { B24Hook, B24OAuth } = require('@bitrix24/b24jssdk')
const { hook, oauth, calls } = JSON.parse(process.argv[1])
const b24 = hook ? B24Hook.fromWebhookUrl(hook) : new B24OAuth(oauth, {
  clientId: 'app', clientSecret: 'secret'
})
b24.offClientSideWarning()
;(async () => {
  const came = []
  for (const [method, params] of calls) {
    try {
      const answer = await b24.actions.v2.call.make({ method, params })
      came.push(answer.isSuccess ? answer.getData() : { error: [...answer.getErrors()][0].code })
    } catch (error) {
      came.push({ error: error.code })
    }
  }
  console.log('\\n' + JSON.stringify(came))
})()
"""


@pytest.mark.rule("call: path of a webhook", "call: result and time")
def test_5_a_webhook_over_https(demo: Demo) -> None:
    hook = f"https://{demo.https}/rest/1/{WEBHOOK}/"

    edited, read = _run(demo, [EDIT, READ], hook=hook)

    assert edited["result"] is True
    assert {"start", "finish", "duration", "processing", "operating"} <= edited["time"].keys()
    assert "Tide @ ten" in next(it["content"] for it in read["result"] if it["id"] == 121)


@pytest.mark.rule("call: path of a token", "call: error")
def test_5_a_token_over_http(demo: Demo) -> None:
    read, refused, unknown = _run(
        demo, [READ, ["landing.block.getlist", {"lid": 999}], ["landing.x", {}]],
        oauth=_oauth(demo),
    )  # fmt: skip

    assert [block["id"] for block in read["result"]] == list(range(116, 123))
    assert refused == {"error": "LANDING_NOT_EXIST"}
    assert unknown == {"error": "ERROR_METHOD_NOT_FOUND"}


@pytest.mark.rule(*PROVEN, "call: path of a webhook")
def test_4_a_page_lives_by_a_webhook(demo: Demo) -> None:
    live(_telling(demo, hook=f"https://{demo.https}/rest/1/{WEBHOOK}/"), demo, "js")


@pytest.mark.rule(*PROVEN, "call: path of a token")
def test_4_a_page_lives_by_a_token(demo: Demo) -> None:
    live(_telling(demo, oauth=_oauth(demo)), demo, "js-token")


@pytest.mark.rule("call: error", *(f"{method} {code}" for method, _, code in REFUSALS))
def test_7_refusals_are_told_with_their_codes(demo: Demo) -> None:
    calls = [[method, params] for method, params, _ in REFUSALS]

    refusals = _run(demo, calls, hook=f"https://{demo.https}/rest/1/{WEBHOOK}/")

    assert refusals == [{"error": code} for *_, code in REFUSALS]


def _telling(demo: Demo, **credential: Any) -> Client:
    def call(method: str, **params: Any) -> Any:
        [came] = _run(demo, [[method, params]], **credential)
        assert "error" not in came, came
        return came["result"]

    return call


def _oauth(demo: Demo) -> dict[str, Any]:
    return {
        "accessToken": TOKEN, "refreshToken": "-", "expires": 4_000_000_000,
        "expiresIn": 3600, "domain": demo.http, "memberId": "-", "status": "L",
        "clientEndpoint": f"{demo.http}/rest/", "serverEndpoint": f"{demo.http}/rest/",
        "applicationToken": "-", "userId": 1, "scope": "landing", "issuer": "store",
    }  # fmt: skip


def _run(demo: Demo, calls: list[Any], **credential: Any) -> Any:
    if NODE is None:
        pytest.skip("no node here")
    if not (FOLDER / "node_modules" / "@bitrix24" / "b24jssdk").is_dir():
        pytest.skip("no client here: `npm ci` in tests/clients/typescript")
    given = msgspec.json.encode({**credential, "calls": calls}).decode()
    ran = subprocess.run(
        [NODE, "-e", PROGRAM, given], cwd=FOLDER, capture_output=True, timeout=30, check=True,
        env={**os.environ, "NODE_EXTRA_CA_CERTS": str(demo.authority)},
    )  # fmt: skip
    return msgspec.json.decode(ran.stdout.splitlines()[-1])

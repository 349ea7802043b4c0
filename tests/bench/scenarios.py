"""What is asked: one request for each scenario, how it is sent by wrk, and what is right."""

import http.client
import json
from typing import Any

from bench.world import BLOCKS, CODE, PAGE, PAGE_PATH, SITE, TEMPLATE, TITLE, USER
from msgspec import Struct

REST = f"/rest/{USER}/{CODE}"
EDITED = BLOCKS[0]
MARK = "Edit number "
PAGE_MARK = "Page number "


class Scenario(Struct, frozen=True):
    """A request. `peer` is whom the bar is held against: `plain` or `twin`.

    `counted` is the text in it that a number follows, another one at every call. `paths` are taken
    by turns where there are several.
    """

    name: str
    title: str
    path: str
    params: dict[str, Any] | None = None
    peer: str = ""
    bar: float = 0.0
    counted: str = ""
    paths: tuple[str, ...] = ()

    @property
    def body(self) -> bytes:
        """The JSON body; empty where the request is a GET."""
        return b"" if self.params is None else json.dumps(self.params).encode()


METHODS = Scenario("methods", "methods", f"{REST}/methods.json", {}, "plain", 1.4)
GETLIST = Scenario(
    "getlist", "getlist", f"{REST}/landing.block.getlist.json", {"lid": PAGE}, "twin", 4.0
)
CONTENT = Scenario(
    "content",
    "getlist with content",
    GETLIST.path,
    {"lid": PAGE, "params": {"get_content": True}},
    "twin",
    4.0,
)
UPDATENODES = Scenario(
    "updatenodes",
    "updatenodes",
    f"{REST}/landing.block.updatenodes.json",
    {"lid": PAGE, "block": EDITED, "data": {TITLE: f"{MARK}0"}},
    "twin",
    4.0,
    MARK,
)
ADDBYTEMPLATE = Scenario(
    "addbytemplate",
    "addByTemplate",
    f"{REST}/landing.landing.addByTemplate.json",
    {"siteId": SITE, "code": TEMPLATE, "fields": {"TITLE": f"{PAGE_MARK}0"}},
    "twin",
    2.0,
    PAGE_MARK,
)
PAGE_VIEW = Scenario("page", "public page (raw ASGI)", PAGE_PATH, None, "plain", 0.4)
SCENARIOS = (METHODS, GETLIST, CONTENT, UPDATENODES, ADDBYTEMPLATE, PAGE_VIEW)

_DRAFT = Scenario(
    "draft",
    "draft",
    GETLIST.path,
    {"lid": PAGE, "params": {"edit_mode": True, "get_content": True}},
)


class WrongAnswer(Exception):
    """A server did not answer what it should; the text says which and to what."""


def ask(connection: http.client.HTTPConnection, scenario: Scenario) -> bytes:
    """Send one request and return the answer's body; raises `WrongAnswer` unless it is a 200."""
    headers = {"Content-Type": "application/json"} if scenario.body else {}
    verb = "POST" if scenario.body else "GET"
    connection.request(verb, scenario.path, scenario.body or None, headers)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise WrongAnswer(f"{scenario.title}: status {answer.status}, {body[:200]!r}")
    return body


def record(port: int) -> dict[str, Any]:
    """Ask Landyard everything once, check it against the world, and return the answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    answers = {each.name: ask(connection, each).decode() for each in SCENARIOS}
    connection.close()
    told = {name: json.loads(text) for name, text in answers.items() if name != "page"}
    told["page"] = answers["page"]
    _require("methods" in told["methods"]["result"], "methods: does not list itself")
    for name in ("getlist", "content"):
        ids = [block["id"] for block in told[name]["result"]]
        _require(ids == [number + 100 for number in BLOCKS], f"{name}: not the ten blocks: {ids}")
    _require_page(told["page"])
    return told


def check(port: int, recorded: dict[str, Any], *, edits: bool) -> None:
    """Raise `WrongAnswer` unless the server answers as Landyard did.

    `edits`: whether an edit must be there when the draft is read again.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for scenario in SCENARIOS:
        body = ask(connection, scenario)
        if scenario is PAGE_VIEW:
            _require_page(body.decode())
            continue
        answer = json.loads(body)
        if scenario is ADDBYTEMPLATE:
            if edits:
                _require_made(connection, answer["result"])
            continue
        same = answer["result"] == recorded[scenario.name]["result"]
        _require(same, f"{scenario.title}: another result than Landyard's")
        missing = recorded[scenario.name]["time"].keys() - answer["time"].keys()
        _require(not missing, f"{scenario.title}: `time` lacks {missing}")
    if edits:
        _require(edit_count(port) == 0, "updatenodes: the edit is not in the draft")
    connection.close()


def edit_count(port: int) -> int:
    """Read the number of the last edit off the draft; raises `WrongAnswer` without any."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    blocks = json.loads(ask(connection, _DRAFT))["result"]
    connection.close()
    content = next(block["content"] for block in blocks if block["id"] == EDITED)
    digits = content.partition(MARK)[2].partition("<")[0]
    _require(digits.isdigit(), "updatenodes: the edit is not in the draft")
    return int(digits)


def script(scenario: Scenario) -> str:
    """Write the Lua by which wrk sends the scenario, and prints its counts as JSON."""
    lines = []
    if scenario.body:
        lines += [
            'wrk.method = "POST"',
            'wrk.headers["Content-Type"] = "application/json"',
            f"wrk.body = {_lua(scenario.body.decode())}",
        ]
    if scenario.counted:
        # Every call brings a new text, so that every one has something to write.
        head, _, tail = scenario.body.decode().partition(f"{scenario.counted}0")
        lines += [
            "local number = 0",
            "function request()",
            "  number = number + 1",
            f"  local body = {_lua(head + scenario.counted)} .. number .. {_lua(tail)}",
            "  return wrk.format(nil, nil, nil, body)",
            "end",
        ]
    if scenario.paths:
        lines += [
            f"local paths = {{{', '.join(map(_lua, scenario.paths))}}}",
            "local turn = 0",
            "function request()",
            "  turn = turn % #paths + 1",
            "  return wrk.format(nil, paths[turn])",
            "end",
        ]
    return "\n".join([*lines, DONE])


DONE = """
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '\\n{"requests": %d, "microseconds": %d, "mean": %f, "p99": %d, "failed": %d}\\n',
    summary.requests, summary.duration, latency.mean, latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end
"""


def _lua(text: str) -> str:
    return f"[==[{text}]==]"


def _require_made(connection: http.client.HTTPConnection, page_id: int) -> None:
    """Raise `WrongAnswer` unless the page has the template's ten blocks in its draft."""
    asked = Scenario("made", "made", GETLIST.path, {**(_DRAFT.params or {}), "lid": page_id})
    told = [block["content"] for block in json.loads(ask(connection, asked))["result"]]
    whole = len(told) == len(BLOCKS) and all(
        f"Block {number}<" in told[place] for place, number in enumerate(BLOCKS)
    )
    _require(whole, "addByTemplate: the page is not the template's")


def _require_page(html: str) -> None:
    shown = all(f'id="b{number + 100}"' in html for number in BLOCKS)
    _require(shown, "public page: a block is missing")


def _require(held: bool, text: str) -> None:
    if not held:
        raise WrongAnswer(text)

"""Checks that Landyard's answers are right, and that every peer gives the same."""

import http.client
import json
from collections.abc import Mapping
from typing import Any

from bench.scenarios import KNOWN_PAGE, MARK, PAGE_VIEW, READS, Scenario, blocks_of
from bench.world import BLOCKS, published

_OWN_HEADERS = {"content-type", "content-length", "etag", "date", "server", "x-request-id"}


class WrongAnswer(Exception):
    """A server gave a wrong answer; the text names the server and the request."""


def connect(port: int, seconds: float = 30) -> http.client.HTTPConnection:
    """Connect to a server of this machine."""
    return http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)


def ask(connection: http.client.HTTPConnection, scenario: Scenario) -> bytes:
    """Send one request and return the answer's body; raises `WrongAnswer` unless the status is
    200.
    """
    return _ask(connection, scenario)[0]


def _ask(
    connection: http.client.HTTPConnection, scenario: Scenario
) -> tuple[bytes, dict[str, str]]:
    headers = {"Content-Type": "application/json"} if scenario.body else {}
    verb = "POST" if scenario.body else "GET"
    connection.request(verb, scenario.path, scenario.body or None, headers)
    answer = connection.getresponse()
    body = answer.read()
    require(
        answer.status == 200, f"{scenario.title}: status {answer.status}, {body[:200].decode()}"
    )
    return body, {name.lower(): value for name, value in answer.getheaders()}


def record(port: int) -> dict[str, Any]:
    """Ask Landyard everything that is read, check it against the world, and return the answers."""
    connection = connect(port)
    told: dict[str, Any] = {each.name: json.loads(ask(connection, each)) for each in READS}
    page, headers = _ask(connection, PAGE_VIEW)
    connection.close()
    require("methods" in told["methods"]["result"], "methods: does not list itself")
    for name in ("getlist", "content"):
        ids = [block["id"] for block in told[name]["result"]]
        require(ids == [published(each) for each in BLOCKS], f"{name}: not the ten blocks: {ids}")
    require(len(told["getlist1000"]["result"]) == 50, "getlist: not fifty blocks of a thousand")
    told["page"] = page.decode()
    told["page_headers"] = [
        (name, value) for name, value in headers.items() if name not in _OWN_HEADERS
    ]
    _require_page(told["page"])
    return told


def check_calls(port: int, name: str, recorded: Mapping[str, Any]) -> None:
    """Raise `WrongAnswer` unless the server of this name answers calls as Landyard did.

    The twin does not say where a long list continues.
    """
    connection = connect(port)
    for scenario in READS:
        if not scenario.asks(name):
            continue
        answer = json.loads(ask(connection, scenario))
        same = answer["result"] == recorded[scenario.name]["result"]
        require(same, f"{scenario.title}: another result than Landyard's")
        missing = recorded[scenario.name]["time"].keys() - answer["time"].keys()
        require(not missing, f"{scenario.title}: `time` lacks {missing}")
        whole = name == "twin" or answer.keys() == recorded[scenario.name].keys()
        require(whole, f"{scenario.title}: the envelope has {list(answer)}")
    connection.close()


def check_page(port: int) -> None:
    """Raise `WrongAnswer` unless the server sends the page, and 304 to a client that has it."""
    connection = connect(port)
    body, headers = _ask(connection, PAGE_VIEW)
    _require_page(body.decode())
    connection.request("GET", KNOWN_PAGE.path, headers={"If-None-Match": headers["etag"]})
    answer = connection.getresponse()
    require(answer.status == 304 and not answer.read(), f"304: status {answer.status}")
    connection.close()


def page_tag(port: int) -> str:
    """Return the page's `ETag`."""
    connection = connect(port)
    headers = _ask(connection, PAGE_VIEW)[1]
    connection.close()
    return headers["etag"]


def drafts(port: int, page: int) -> dict[int, str]:
    """Read the HTML of a page's draft blocks, by id."""
    return _blocks(port, blocks_of(page, draft=True))


def shown(port: int, page: int) -> dict[int, str]:
    """Read the HTML of a page's published blocks, by id."""
    return _blocks(port, blocks_of(page, draft=False))


def _blocks(port: int, asked: Scenario) -> dict[int, str]:
    connection = connect(port)
    blocks = json.loads(ask(connection, asked))["result"]
    connection.close()
    return {block["id"]: block["content"] for block in blocks}


def require_edits(port: int, scenario: Scenario) -> None:
    """Raise `WrongAnswer` unless the block that a scenario edits contains an edit."""
    content = drafts(port, scenario.page)[(scenario.params or {})["block"]]
    digits = content.partition(MARK)[2].partition("<")[0]
    require(digits.isdigit(), f"{scenario.title}: no edit is in the draft")


def require(held: bool, text: str) -> None:
    """Raise `WrongAnswer` unless the condition holds."""
    if not held:
        raise WrongAnswer(text)


def _require_page(html: str) -> None:
    shown = all(f'id="b{published(number)}"' in html for number in BLOCKS)
    require(shown, "public page: a block is missing")

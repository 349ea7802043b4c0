"""Minutes of random calls over HTTP to a service of two workers, started as an operator does.

Every answer has the envelope, none is a 5xx, no worker dies, and memory stays flat.
"""

import base64
import random
import re
import threading
from collections import Counter
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import msgspec
import pytest
from contract.bodies import READ, UNREADABLE_FORMS, UNREADABLE_JSON
from contract.multiparts import MISTAKEN, UNREADABLE_MULTIPARTS
from contract.oddities import CASES, ODD, UNREADABLE, WORLD, Case
from contract.rules import CODES
from contract.worlds import webhook_of
from corpora import read_data
from kernel.processes import PATIENCE, Server, landyard, serving
from msgspec import Raw

CALLS = 50_000
ROUND = 2_500  # calls until deleted rows are loaded again
WARM_UP = 4  # rounds
CALLERS = 4
GROWTH = 48 * 1024  # KiB of a worker after the warm-up
SYSTEM = {"INVALID_REQUEST", "NO_AUTH_FOUND", "INVALID_CREDENTIALS", "ERROR_METHOD_NOT_FOUND"}
ENVELOPES = (
    {"error", "error_description"},
    {"result", "time"},
    {"result", "time", "next", "total"},
)

REMOVING = {"landing.landing.delete", "landing.landing.markDelete", "landing.landing.move"}

# Pictures that are none, or that no decoder should accept.
PICTURES = [
    b"",
    b"\x89PNG\r\n\x1a\n" + bytes(100),
    b"GIF89a" + b"\xff" * 60,
    b"\xff\xd8\xff\xe0" + bytes(range(256)),
    b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>x</script></svg>",
    b"<!DOCTYPE svg [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]><svg>&b;</svg>",
    b"RIFF\xff\xff\xff\x7fWEBPVP8 " + bytes(64),
    b"BM" + b"\xff" * 80,
    b"PK\x03\x04" + bytes(60),
    b"<html><script>alert(1)</script>",
]
# No packet is sent to these hosts: their addresses alone are refused.
ADDRESSES = read_data(__file__, "ADDRESSES", list[str])
HTML = [*read_data(__file__, "HTML", list[str]), "<b>" * 2_000]
BODIES = [
    *((body, "application/json") for body in UNREADABLE_JSON.values()),
    *((body, "application/x-www-form-urlencoded") for body in UNREADABLE_FORMS.values()),
    *UNREADABLE_MULTIPARTS.values(),
    *((each.body, each.kind) for each in [*READ.values(), *MISTAKEN.values()]),
]
# The largest are rare, because the test needs many calls.
SMALL_BODIES = [(body, kind) for body, kind in BODIES if len(body) < 20_000]


class Caller:
    """One of several concurrent callers, each with an address and a random generator of its own."""

    def __init__(self, server: Server, number: int) -> None:
        self._server = server
        self._chance = random.Random(number)
        self._number = number
        self._turn = 0
        self.answers: Counter[tuple[int, str]] = Counter()
        self.wrong: list[Any] = []

    def make(self, calls: int) -> None:
        for start in range(0, calls, 100):
            self._turn += 1
            # An address that sends many wrong credentials is refused for a while (`[limits]`).
            source = f"127.{self._number + 1}.{self._turn // 250}.{self._turn % 250 + 1}"
            with closing(
                HTTPConnection(
                    "127.0.0.1", self._server.port, timeout=PATIENCE, source_address=(source, 0)
                )
            ) as connection:
                for _ in range(min(100, calls - start)):
                    self._call(connection)

    def _call(self, connection: HTTPConnection) -> None:
        case = self._chance.choice(CASES)
        while case.method in REMOVING and self._chance.random() < 0.9:
            case = self._chance.choice(CASES)  # otherwise nothing would be left soon
        body, kind = self._body(case)
        path = f"/rest/1/{webhook_of(1)}/{case.method}"
        codes = {*CODES[case.method].split(), *SYSTEM}
        if self._chance.random() < 0.03:
            path = self._chance.choice(
                [
                    f"/rest/1/{'wrong' * 5}/{case.method}",
                    f"/rest/{case.method}",
                    "/rest/x",
                    "/rest/",
                ]
            )
        if self._chance.random() < 0.03:
            path += f"?{self._chance.choice(['lid=10', 'a[]=%ff', '&=&[', 'auth=', 'a' * 5_000])}"
        verb = self._chance.choice(["POST"] * 30 + ["GET", "PUT", "PATCH", "DELETE"])
        connection.request(verb, path, body, {"Content-Type": kind.encode("latin-1")})
        answer = connection.getresponse()
        text = answer.read()
        decoded = msgspec.json.decode(text)
        code = decoded.get("error", "")
        self.answers[answer.status, code] += 1
        if set(decoded) not in ENVELOPES or answer.status >= 500 or (code and code not in codes):
            self.wrong.append((case.method, body[:200], kind, answer.status, text[:200]))

    def _body(self, case: Case) -> tuple[bytes, str]:
        chance = self._chance.random()
        if chance < 0.005:
            return self._chance.choice(BODIES)
        if chance < 0.12:
            return self._chance.choice(SMALL_BODIES)
        sent = dict(case.params)
        if chance < 0.6:
            name = self._chance.choice(list(sent) or ["lid"])
            sent[name] = self._odd(name)
        body = msgspec.json.encode(sent)
        if chance < 0.2:
            at = self._chance.randrange(len(body))
            body = body[:at] + self._chance.randbytes(self._chance.randrange(9)) + body[at:]
        return body, self._chance.choice(["application/json", "", "text/plain"])

    def _odd(self, name: str) -> Any:
        of = self._chance
        if name == "picture":
            content = of.choice(PICTURES) + of.randbytes(of.randrange(64))
            named = [of.choice(["a.png", "b.svg", "../c", "d", "e.jpg"]), base64.b64encode(content)]
            return of.choice([of.choice(ADDRESSES), named, named])
        if name == "data" and of.random() < 0.7:
            html = of.choice(HTML)
            value = of.choice([html, {"text": html, "href": html}, {"src": of.choice(ADDRESSES)}])
            return {of.choice([".title", ".text@0", ".go", ".bg", ".film", "*", html[:30]]): value}
        if name == "fields" and of.random() < 0.7:
            return {of.choice(["TITLE", "CODE", "DESCRIPTION", "ID"]): of.choice(HTML)}
        # a few of the longest would take most of the run
        return Raw(of.choice([each for each in (*ODD, *UNREADABLE) if len(each) < 2_000]).encode())


def workers(server: Server) -> list[int]:
    """The processes that serve: the workers that logged their start."""
    events = [line for line in server.err.splitlines() if '"worker_started"' in line]
    return [msgspec.json.decode(line)["pid"] for line in events]


def resident(pid: int) -> int:
    """The KiB that a process holds in memory; fails if the process is gone."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None, status
    return int(found[1])


def call_at_once(server: Server, calls: int, seed: int) -> Counter[tuple[int, str]]:
    """Make many calls from several callers; fails where an answer is invalid."""
    callers = [Caller(server, seed + number) for number in range(CALLERS)]
    threads = [threading.Thread(target=caller.make, args=(calls // CALLERS,)) for caller in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [wrong for caller in callers for wrong in caller.wrong] == []
    answers = sum((caller.answers for caller in callers), Counter[tuple[int, str]]())
    assert answers.total() == calls  # no caller's thread has ended early
    return answers


def load_world(folder: Path) -> None:
    """Load the pages again, as an operator can while the service runs."""
    loaded = landyard(folder, "load", "-", given=msgspec.json.encode(WORLD))
    assert loaded.status == 0, loaded.err


@pytest.mark.soak
@pytest.mark.rule("C3", "C11", "C13")
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes in /proc")
def test_random_calls_over_http_kill_no_worker(tmp_path: Path) -> None:
    load_world(tmp_path)
    answers: Counter[tuple[int, str]] = Counter()
    started: list[int] = []
    before: list[int] = []
    with serving(tmp_path, "--workers", "2", LANDYARD_LOG_FORMAT="json") as server:
        for number in range(CALLS // ROUND):
            if number == WARM_UP:
                started = workers(server)
                before = [resident(pid) for pid in started]
            load_world(tmp_path)
            answers += call_at_once(server, ROUND, seed=CALLERS * number)

        grown = [resident(pid) - was for pid, was in zip(started, before, strict=True)]
        assert len(started) == 2
        assert workers(server) == started
        assert server.stop() == 0
    assert "call_crashed" not in server.err
    assert "Traceback" not in server.err
    assert max(grown) < GROWTH, grown
    assert answers.total() == CALLS
    assert answers[200, ""] > CALLS / 10
    assert {code for _, code in answers} > {"INVALID_REQUEST", "INVALID_CREDENTIALS", "TYPE_ERROR"}

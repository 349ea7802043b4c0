"""The load: wrk with sixteen connections sends one scenario to one server for a few seconds."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.answers import page_tag, require
from bench.scenarios import Scenario, script
from msgspec import Struct

CONNECTIONS = 16
_TRIES = 3


class Measured(Struct, frozen=True):
    """The results of one run; `p99` is in milliseconds, `cost` in processor microseconds per call.

    `cost` is 0 where it is unknown.
    """

    per_second: float
    p99: float
    cost: float = 0.0


def wrk(prefix: Sequence[str], lua: Path, script: str, url: str, *options: str) -> dict[str, float]:
    """Run wrk with a script, and read the counts that it prints as JSON."""
    lua.write_text(script)
    command = [*prefix, "wrk", "-t1", *options, "-s", str(lua), url]
    counts: dict[str, float] = {}
    for _ in range(_TRIES):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        counts = json.loads(done.stdout.strip().splitlines()[-1])
        if counts["requests"] or counts["failed"]:
            break  # otherwise the machine stood still for that long
    failed = f"{url}: {counts['failed']} calls of {counts['requests']} failed"
    require(bool(counts["requests"]) and not counts["failed"], failed)
    return counts


def blast(
    prefix: Sequence[str],
    folder: Path,
    scenario: Scenario,
    port: int,
    seconds: float,
    *,
    connections: int = CONNECTIONS,
) -> Measured:
    """Send `scenario` for `seconds`; raises `WrongAnswer` when any of the calls failed."""
    lua, url = folder / f"{scenario.name}.lua", f"http://127.0.0.1:{port}{scenario.path}"
    # A long timeout: SQLite may let one writer of many wait for longer than wrk's default of two
    # seconds.
    options = (f"-c{connections}", f"-d{seconds}s", "--timeout", "30s")
    headers: Mapping[str, str] = {"If-None-Match": page_tag(port)} if scenario.known else {}
    counts = wrk(prefix, lua, script(scenario, dict(headers)), url, *options)
    return Measured(
        per_second=counts["requests"] / counts["microseconds"] * 1e6, p99=counts["p99"] / 1000
    )

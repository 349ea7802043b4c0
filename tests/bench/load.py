"""The load: wrk, sixteen connections, one scenario at one server for a few seconds."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench.scenarios import Scenario, WrongAnswer, script
from msgspec import Struct

CONNECTIONS = 16


class Measured(Struct, frozen=True):
    """What one run came to; `p99` is in milliseconds."""

    per_second: float
    p99: float


def blast(
    prefix: Sequence[str], folder: Path, scenario: Scenario, port: int, seconds: int
) -> Measured:
    """Send `scenario` for `seconds`; raises `WrongAnswer` when any of the calls failed."""
    lua = folder / f"{scenario.name}.lua"
    lua.write_text(script(scenario))
    url = f"http://127.0.0.1:{port}{scenario.path}"
    # Patient: SQLite lets one writer of many starve for longer than wrk's own two seconds.
    options = ["-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "30s"]
    command = ["wrk", *options, "-s", str(lua), url]
    done = subprocess.run([*prefix, *command], capture_output=True, text=True, check=True)
    counts = json.loads(done.stdout.strip().splitlines()[-1])
    if counts["failed"] or not counts["requests"]:
        raise WrongAnswer(
            f"{scenario.title}: {counts['failed']} calls of {counts['requests']} failed"
        )
    return Measured(
        per_second=counts["requests"] / counts["microseconds"] * 1e6, p99=counts["p99"] / 1000
    )

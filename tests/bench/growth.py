"""Whether a call takes longer where there are more pages: 100,000 of them beside 1,000."""

import json
import statistics
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path

import msgspec
from bench.scenarios import WrongAnswer
from bench.servers import Cores, await_answer, free_port, landyard, process
from bench.world import BLOCK_CODE, CODE, SITE, STAMP, TITLE, USER, content, world
from msgspec import Struct
from sqlalchemy import insert

from landyard import Kernel, Settings
from landyard_landing.tables import Block, Page

SIZES = (1_000, 100_000)
GROWTH_BAR = 1.3
FIRST_PAGE = 1_000
FIRST_BLOCK = 1_000_000
_AT_ONCE = 5_000


class Growing(Struct, frozen=True):
    """A call of a random page; in `params` PAGE and BLOCK stand for its id and its draft's."""

    name: str
    params: str


CALLS = (
    Growing("landing.block.getlist", '{"lid": PAGE, "params": {"edit_mode": true}}'),
    Growing(
        "landing.block.updatenodes",
        f'{{"lid": PAGE, "block": BLOCK, "data": {{"{TITLE}": "Number NUMBER"}}}}',
    ),
    Growing("landing.landing.getpublicurl", '{"lid": PAGE}'),
)


def growth(
    cores: Cores, folder: Path, env: Mapping[str, str], rounds: int, seconds: int
) -> dict[str, float]:
    """Measure each call one at a time on both services, by turns.

    Answers the medians over the rounds of the larger one's mean latency divided by the smaller
    one's. Raises `WrongAnswer` when a call fails.
    """
    ratios: dict[str, list[float]] = {each.name: [] for each in CALLS}
    with ExitStack() as stack:
        ports = {size: stack.enter_context(_service(cores, folder, env, size)) for size in SIZES}
        for call in CALLS:
            for size in SIZES:
                _latency(cores, folder, call, ports[size], size, 1)
            for _ in range(rounds):
                took = {
                    size: _latency(cores, folder, call, ports[size], size, seconds)
                    for size in SIZES
                }
                ratios[call.name].append(took[SIZES[1]] / took[SIZES[0]])
    return {name: statistics.median(found) for name, found in ratios.items()}


@contextmanager
def _service(cores: Cores, folder: Path, env: Mapping[str, str], size: int) -> Iterator[int]:
    data = folder / f"grown-{size}"
    data.mkdir()
    kernel = Kernel(Settings(data=data))
    kernel.schema.prepare(kernel.store)
    kernel.load(msgspec.json.encode(world()))
    for first in range(0, size, _AT_ONCE):
        _fill(kernel, range(first, min(first + _AT_ONCE, size)))
    kernel.close()
    port = free_port()
    command = landyard(cores, port)
    with process(command, folder, {**env, "LANDYARD_DATA": str(data)}) as running:
        await_answer(port, "/healthz", running)
        yield port


def _fill(kernel: Kernel, numbers: range) -> None:
    """Add pages with one draft each and its published copy."""
    html = content(1)
    moment = datetime.fromisoformat(STAMP)
    signed = {"created_at": moment, "modified_at": moment, "created_by": 1, "modified_by": 1}
    pages = [
        Page(
            id=FIRST_PAGE + number,
            site_id=SITE,
            code=f"page-{number}",
            title=f"Page {number}",
            active=True,
            published=True,
        ).model_dump()
        | signed
        for number in numbers
    ]
    blocks = [
        Block(
            id=FIRST_BLOCK + 2 * number + public,
            page_id=FIRST_PAGE + number,
            public=bool(public),
            draft_id=FIRST_BLOCK + 2 * number if public else None,
            code=BLOCK_CODE,
            content=html,
        ).model_dump()
        | signed
        for number in numbers
        for public in (0, 1)
    ]
    with kernel.store.session(writes=True) as session:
        session.execute(insert(Page), pages)
        session.execute(insert(Block), blocks)


def _latency(  # noqa: PLR0917 - what, of what, for how long
    cores: Cores, folder: Path, call: Growing, port: int, size: int, seconds: int
) -> float:
    """Return the mean microseconds of a call among one after the other."""
    lua = folder / "growing.lua"
    lua.write_text(_script(call, size))
    url = f"http://127.0.0.1:{port}/rest/{USER}/{CODE}/{call.name}.json"
    command = ["wrk", "-t1", "-c1", f"-d{seconds}s", "-s", str(lua), url]
    done = subprocess.run([*cores.load, *command], capture_output=True, text=True, check=True)
    counts = json.loads(done.stdout.strip().splitlines()[-1])
    if counts["failed"] or not counts["requests"]:
        raise WrongAnswer(f"{call.name} of {size} pages: {counts['failed']} calls failed")
    return float(counts["mean"])


def _script(call: Growing, size: int) -> str:
    return f"""
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local params = [==[{call.params}]==]
local number = 0
function request()
  number = number + 1
  local page = math.random(0, {size - 1})
  local body = params:gsub("PAGE", {FIRST_PAGE} + page)
  body = body:gsub("BLOCK", {FIRST_BLOCK} + 2 * page):gsub("NUMBER", number)
  return wrk.format(nil, nil, nil, body)
end
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format('\\n{{"requests": %d, "mean": %f, "failed": %d}}\\n',
    summary.requests, latency.mean, e.connect + e.read + e.write + e.status + e.timeout))
end
"""

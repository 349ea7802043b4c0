"""Whether a call takes longer where there are more pages: 100,000 of them beside 1,000."""

import statistics
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime
from pathlib import Path

from bench.load import wrk
from bench.scenarios import DONE
from bench.servers import Cores, prepare, serving
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
    prepare(data, world())
    with closing(Kernel(Settings(data=data))) as kernel:
        for first in range(0, size, _AT_ONCE):
            _fill(kernel, range(first, min(first + _AT_ONCE, size)))
    with serving(cores, folder, {**env, "LANDYARD_DATA": str(data)}) as (port, _):
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
    url = f"http://127.0.0.1:{port}/rest/{USER}/{CODE}/{call.name}.json"
    lua = folder / "growing.lua"
    return wrk(cores.load, lua, _script(call, size), url, "-c1", f"-d{seconds}s")["mean"]


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
{DONE}"""

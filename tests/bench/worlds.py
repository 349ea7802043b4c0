"""`load` and `dump` of a large world: elapsed seconds, processor seconds, and the largest memory.

`python tests/bench/worlds.py [PAGES] [DATABASE_URL]`; the database has to be empty.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.world import BLOCK_CODE, SITE, STAMP, content, world

PAGES = 50_000
BLOCKS = 2
_CARDS = 5  # about 2 kB


def main() -> None:
    """Write a world, load it, dump it, and load the dump, each in a process of its own."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    with TemporaryDirectory() as folder:
        env = {**os.environ, "LANDYARD_DATA": f"{folder}/data", "LANDYARD_LOG_LEVEL": "warning"}
        if len(sys.argv) > 2:
            env["LANDYARD_DATABASE_URL"] = sys.argv[2]
        given, dumped = Path(folder, "world.json"), Path(folder, "dump.json")
        write(given, count)
        print(f"{count:,} pages of {BLOCKS} blocks: {given.stat().st_size / 1e6:.0f} MB")
        _run("load", env, "load", str(given))
        with dumped.open("wb") as out:
            _run("dump", env, "dump", stdout=out)
        _run("load again", env, "load", str(dumped))


def write(path: Path, count: int, cards: int = _CARDS) -> None:
    """Write a world of this many pages, page by page; each further card adds 400 bytes to each
    block.
    """
    given = world()
    given["pages"] = []
    head = json.dumps(given)
    with path.open("w") as file:
        file.write(head[: head.rindex("[")] + "[")
        # one by one, because a child's memory counts from its parent's
        for number in range(1, count + 1):
            file.write((",\n" if number > 1 else "") + json.dumps(_page(number, cards)))
        file.write(head[head.rindex("[") + 1 :])


def first_block(page: int) -> int:
    """Return the id of the first block of a page's draft."""
    return page * 10


def _page(number: int, cards: int) -> dict[str, Any]:
    first = first_block(number)
    return {
        "id": number,
        "site": SITE,
        "code": f"page-{number}",
        "title": f"Page {number}",
        "active": True,
        "published": True,
        "created_at": STAMP,
        "modified_at": STAMP,
        "blocks": [
            {
                "id": first + each,
                "code": BLOCK_CODE,
                "content": content(first + each, cards),
                "published_id": first + each + BLOCKS,
            }
            for each in range(BLOCKS)
        ],
    }


def _run(name: str, env: dict[str, str], *words: str, stdout: Any = None) -> None:
    program = Path(sys.executable).with_name("landyard")
    began = time.perf_counter()
    process = subprocess.Popen([program, *words], env=env, stdout=stdout)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - began
    cpu = used.ru_utime + used.ru_stime
    memory = used.ru_maxrss / 1024
    print(f"{name:10}  {wall:6.1f} s  {cpu:6.1f} s CPU  {memory:4.0f} MiB", flush=True)
    if process.returncode:
        sys.exit(f"{name} failed")


if __name__ == "__main__":
    main()

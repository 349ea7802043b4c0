"""A thousand idle and two hundred busy connections for five minutes cause no error and no leak."""

import asyncio
import itertools
import os
import time
from pathlib import Path

import msgspec
import pytest
from contract.worlds import webhook_of
from faulty.load import CLIENTS, DRAFT, PAGE, PAGE_PATH, WORLD
from kernel.processes import Server, landyard, serving
from kernel.supervised import until
from msgspec import Struct

IDLE, BUSY = 1000, 200
MINUTES = 5
SILENCE = 20.0  # seconds; the server closes a connection that is silent for more than 30
RAMP = 10.0  # seconds over which the idle connections are opened


class Use(Struct, frozen=True):
    """Resources in use: bytes of memory, open descriptors, bytes of the write-ahead log."""

    memory: int
    descriptors: int
    wal: int


def use(server: Server, workers: list[int]) -> Use:
    page = os.sysconf("SC_PAGE_SIZE")
    wal = server.folder / "data" / "landyard.db-wal"
    return Use(
        sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * page for pid in workers),
        sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in workers),  # noqa: PTH208 - a thousand
        wal.stat().st_size if wal.exists() else 0,
    )


class Clients:
    """The connections, and the errors that occurred on them."""

    def __init__(self, port: int) -> None:
        self.errors: list[str] = []
        self.answered = 0
        self._port = port
        self._until = time.monotonic() + 60 * MINUTES

    async def run(self) -> None:
        idle = (self._connection(RAMP * n / IDLE, SILENCE) for n in range(IDLE))
        busy = (self._connection(0.0, 0.0) for _ in range(BUSY))
        await asyncio.gather(*idle, *busy)

    async def _connection(self, delay: float, silence: float) -> None:
        await asyncio.sleep(delay)
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            for turn in itertools.count(int(delay * 1000)):
                if time.monotonic() > self._until:
                    break
                await self._ask(reader, writer, turn)
                await asyncio.sleep(silence)
            writer.close()
        except (OSError, asyncio.IncompleteReadError) as error:
            self.errors.append(repr(error))

    async def _ask(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, turn: int
    ) -> None:
        writer.write(_request(turn))
        head = await reader.readuntil(b"\r\n\r\n")
        size = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-len"))
        body = await reader.readexactly(int(size.partition(b":")[2]))
        self.answered += 1
        if b" 200 " not in head[:20]:
            self.errors.append(f"{head[:20]!r} {body[:200]!r}")


def _request(turn: int) -> bytes:
    """Return one of four requests: a page, the list of methods, a block's content, an edit of
    it.
    """
    calls = {
        1: ("methods", {}),
        2: ("landing.block.getlist", {"lid": PAGE, "params": {"edit_mode": True}}),
        3: (
            "landing.block.updatenodes",
            {"lid": PAGE, "block": DRAFT + turn % CLIENTS, "data": {".title": f"Turn {turn}"}},
        ),
    }
    if turn % 4 not in calls:
        return f"GET {PAGE_PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    method, params = calls[turn % 4]
    body = msgspec.json.encode(params)
    head = (
        f"POST /rest/1/{webhook_of(1)}/{method} HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@pytest.mark.soak
def test_many_connections_leave_nothing_behind(tmp_path: Path) -> None:
    assert landyard(tmp_path, "load", "-", given=msgspec.json.encode(WORLD)).status == 0
    with serving(tmp_path, "--workers", "2", LANDYARD_LOG_FORMAT="json") as server:
        until(lambda: len(_workers(server)) == 2)
        workers, clients = _workers(server), Clients(server.port)
        looks: list[tuple[float, Use]] = []

        async def look() -> None:
            began = time.monotonic()
            while (passed := time.monotonic() - began) < 60 * MINUTES - 1:
                looks.append((passed, use(server, workers)))
                await asyncio.sleep(1)

        async def both() -> None:
            await asyncio.gather(clients.run(), look())

        asyncio.run(both())
        assert _workers(server) == workers
    first = _mean([used for at, used in looks if 30 < at < 60])
    last = _mean([used for at, used in looks if at > 60 * (MINUTES - 1)])
    print(f"\n{clients.answered} answers, {len(clients.errors)} errors; {first} became {last}")

    assert clients.errors[:5] == []
    assert last.memory <= 1.05 * first.memory
    assert last.descriptors <= 1.05 * first.descriptors
    assert last.wal <= 1.05 * first.wal


def _workers(server: Server) -> list[int]:
    lines = [
        msgspec.json.decode(line) for line in server.err.splitlines() if "worker_ready" in line
    ]
    return [line["pid"] for line in lines]


def _mean(used: list[Use]) -> Use:
    return Use(
        *(
            sum(values) // len(used)
            for values in zip(*(msgspec.structs.astuple(each) for each in used), strict=True)
        )
    )

"""Twenty endless downloads and twenty decompression bombs at once: the effect on other callers."""

import base64
import http.client
import json
import socket
import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.answers import ask
from bench.contest import Bench
from bench.figures import Figure, figure
from bench.scenarios import CONTENT, GETLIST, METHODS, PAGE_VIEW, REST, UPDATENODES
from bench.servers import Cores, children, resident, serving
from bench.world import BLOCKS
from msgspec import Struct
from plugins.pictures.decode.bombs import jpeg_of_scans, small_png

P99_BAR = 250.0  # milliseconds, of every other method
GROWTH_BAR = 64.0  # MiB, of the worker
ATTACKERS = 20  # of each sort
SECONDS = 20.0  # of watching; a bomb may take ten
CLIENTS = 4
WATCHED = (METHODS, GETLIST, CONTENT, UPDATENODES, PAGE_VIEW)
_UPLOAD = f"{REST}/landing.block.uploadfile.json"
_AGAIN = 0.5  # seconds until an answered attacker tries again
# seconds between two calls of a client, because this measures latency and not throughput
_PAUSE = 0.005


class Felt(Struct, frozen=True):
    """The measured effect: milliseconds by scenario, MiB before and at most, and MiB of all
    decoders.
    """

    before: dict[str, float]
    during: dict[str, float]
    worker: tuple[float, float]
    decoders: float
    answers: dict[str, int]

    @property
    def p99(self) -> float:
        """The largest p99 of all scenarios during the attack."""
        return max(self.during.values())

    @property
    def growth(self) -> float:
        """The growth of the worker, in MiB."""
        return self.worker[1] - self.worker[0]


def hostile(bench: Bench) -> list[Figure]:
    """Measure the effect of the attackers on other callers."""
    felt = _felt(bench.cores, bench.folder, bench.env, SECONDS)
    return [
        figure(
            "hostile/p99",
            "p99 of the slowest method under attack",
            [felt.p99],
            "ms",
            P99_BAR,
            at_most=True,
            note=f"before: {max(felt.before.values()):.0f} ms",
        ),
        figure(
            "hostile/memory",
            "a worker's growth under attack",
            [felt.growth],
            "MiB",
            GROWTH_BAR,
            at_most=True,
        ),
    ]


def _felt(cores: Cores, folder: Path, env: Mapping[str, str], seconds: float) -> Felt:
    """Measure other methods before and during the attack."""
    with _never_answers() as silent:
        allowed = {
            "LANDYARD_UPLOADS__ALLOW_HOSTS": f"127.0.0.1:{silent}",
            "LANDYARD_UPLOADS__DOWNLOAD_PORTS": str(silent),
        }
        with serving(cores, folder, {**env, **allowed}) as (port, supervisor):
            pid = children(supervisor)[0]
            _small_upload(port)
            before = _watch(port, seconds / 2)
            size = resident(pid)
            sizes, decoders = [size], [0.0]
            over = threading.Event()
            answers: Counter[str] = Counter()
            bomb = _bomb()
            attackers = [
                threading.Thread(target=_attack, args=(port, picture, over, answers), daemon=True)
                for picture in (f"http://127.0.0.1:{silent}/a.png", ["a.jpg", bomb]) * ATTACKERS
            ]
            watcher = threading.Thread(
                target=_weigh, args=(pid, sizes, decoders, over), daemon=True
            )
            for thread in (*attackers, watcher):
                thread.start()
            during = _watch(port, seconds)
            over.set()
            watcher.join()
    return Felt(before, during, (size, max(sizes)), max(decoders), dict(answers))


def _bomb() -> str:
    """A JPEG of 150 kB with about a thousand scans."""
    return base64.b64encode(jpeg_of_scans(2000)).decode()


@contextmanager
def _never_answers() -> Iterator[int]:
    """A server that accepts connections and sends a byte every other second; yields its port."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listening:
        recorded: list[socket.socket] = []

        def take() -> None:
            with suppress(OSError):
                while True:
                    recorded.append(listening.accept()[0])
                    threading.Thread(target=drip, args=(recorded[-1],), daemon=True).start()

        def drip(connection: socket.socket) -> None:
            with suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n")
                while True:
                    connection.sendall(b"\x89")
                    time.sleep(2)

        threading.Thread(target=take, daemon=True).start()
        yield int(listening.getsockname()[1])
        for connection in recorded:
            connection.close()


def _small_upload(port: int) -> None:
    """Make the service start a decoder, as one that has been up for a while has."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    pixel = base64.b64encode(small_png()).decode()
    told = _sent(connection, ["a.png", pixel])
    connection.close()
    if told:
        raise RuntimeError(f"a picture of one pixel was answered with: {told}")


def _sent(connection: http.client.HTTPConnection, picture: str | list[str]) -> str:
    """Upload a picture; return the refusal, or an empty text where it was accepted."""
    body = json.dumps({"block": BLOCKS[1], "picture": picture})
    connection.request("POST", _UPLOAD, body, {"Content-Type": "application/json"})
    told = json.loads(connection.getresponse().read())
    return str(told.get("error_description", ""))


def _attack(
    port: int, picture: str | list[str], over: threading.Event, answers: Counter[str]
) -> None:
    while not over.is_set():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        with suppress(OSError, ValueError, http.client.HTTPException):
            answers[_sent(connection, picture)] += 1
        connection.close()
        over.wait(_AGAIN)


def _watch(port: int, seconds: float) -> dict[str, float]:
    """Call the other methods for this long; return the p99 of each in milliseconds."""
    took: dict[str, list[float]] = {each.name: [] for each in WATCHED}
    end = time.monotonic() + seconds

    def call() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while time.monotonic() < end:
            for scenario in WATCHED:
                began = time.perf_counter()
                ask(connection, scenario)
                took[scenario.name].append((time.perf_counter() - began) * 1000)
                time.sleep(_PAUSE)
        connection.close()

    clients = [threading.Thread(target=call) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return {name: statistics.quantiles(times, n=100)[98] for name, times in took.items()}


def _weigh(pid: int, sizes: list[float], decoders: list[float], over: threading.Event) -> None:
    while not over.wait(0.1):
        sizes.append(resident(pid))
        decoders.append(sum(resident(child) for child in children(pid)))

"""Processes with their files in a bucket: each has a client of its own, and pages do not wait."""

import threading
import time
from pathlib import Path

import msgspec
from contract.pictures import METHOD, PNG, picture
from contract.worlds import webhook_of
from faulty.load import DRAFT, PAGE, PAGE_PATH, WORLD
from kernel.processes import Server, landyard, serving
from stores import Relay, port_of, url_of

CALLS = f"/rest/1/{webhook_of(1)}/"
LONGEST = 3.0  # seconds for a call and a page; the machine may be busy


def ask(server: Server, method: str, **params: object) -> dict[str, object]:
    headers = {"content-type": "application/json"}
    status, _, body = server.ask("POST", CALLS + method, params, headers)
    assert status == 200, body
    result: dict[str, object] = msgspec.json.decode(body)["result"]
    return result


def test_pages_are_served_while_visitors_wait_for_a_bucket(
    tmp_path: Path, run_folder: Path
) -> None:
    relay = Relay(port_of("seaweedfs", run_folder))
    loaded = landyard(tmp_path, "load", "-", given=msgspec.json.encode(WORLD))
    assert loaded.status == 0, loaded.err
    files = {"LANDYARD_FILES__URL": url_of(relay.port), "LANDYARD_FILES__SECONDS": "6"}
    over = threading.Event()
    statuses: list[int] = []
    slowest = 0.0

    def look(server: Server, path: str) -> None:
        while not over.is_set():
            statuses.append(server.ask("GET", path)[0])

    with serving(tmp_path, "--workers", "2", **files) as server:
        src = str(ask(server, METHOD, block=DRAFT, picture=picture(PNG))["src"])
        assert server.ask("GET", src)[2] == PNG
        relay.fault = "hang"
        visitors = [threading.Thread(target=look, args=(server, src)) for _ in range(12)]
        for visitor in visitors:
            visitor.start()
        end = time.monotonic() + 4
        while time.monotonic() < end:
            began = time.monotonic()
            data = {".title": str(began)}
            ask(server, "landing.block.updatenodes", lid=PAGE, block=DRAFT, data=data)
            assert server.ask("GET", PAGE_PATH)[0] == 200
            slowest = max(slowest, time.monotonic() - began)
        relay.fault = ""
        over.set()
        for visitor in visitors:
            visitor.join()
        relay.close()

    print(f"\nthe slowest edit with its page took {slowest:.2f} s")
    assert slowest < LONGEST
    assert 503 in statuses
    assert set(statuses) <= {200, 503}

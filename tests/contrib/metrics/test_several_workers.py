"""With several workers every scrape covers all of them."""

from pathlib import Path
from typing import Any

import msgspec
from kernel.processes import Server, serving
from kernel.supervised import until
from prometheus_client.parser import text_string_to_metric_families

from landyard import Kernel, Settings

CODE = "webhook-of-metrics-0123456789"
TOKEN = "token-of-a-scraper-0123456789"
WORLD = {
    "users": [{"id": 1, "name": "Ann"}],
    "webhooks": [{"user": 1, "code": CODE, "scopes": ["landing"]}],
}
CALL = {"plugin": "general", "method": "methods"}


def test_a_scrape_is_the_sum_over_all_workers(tmp_path: Path) -> None:
    kernel = Kernel(Settings(data=tmp_path / "data"))
    kernel.prepare()
    kernel.load(msgspec.json.encode(WORLD))
    kernel.close()
    more = {"LANDYARD_PLUGINS__ON": "metrics", "LANDYARD_METRICS__TOKEN": TOKEN}
    with serving(tmp_path, "--workers", "2", LANDYARD_LOG_FORMAT="json", **more) as server:
        workers: set[str] = set()
        calls = 0

        def call() -> bool:
            nonlocal calls
            status, headers, _ = server.ask("POST", f"/rest/1/{CODE}/methods", {})
            assert status == 200
            calls += 1
            workers.add(headers["x-request-id"][:12])  # identifies the process that answered
            return len(workers) == 2

        until(call)
        until(lambda: scraped(server)("landyard_call_seconds_count", **CALL) == calls)
        told = until(lambda: both(server))
        page = server.ask("GET", "/-/metrics?token=a-secret-in-a-query")
        server.ask("POST", f"//rest/1/{CODE}/methods", {})

    assert told("landyard_threads", pool="reading") == 2 * Settings().threads
    assert page[0] == 401
    output = server.out + server.err
    pages = [msgspec.json.decode(line) for line in output.splitlines() if "page_served" in line]
    assert {(each["path"], each["status"]) for each in pages} == {
        ("/-/metrics", 200),
        ("/-/metrics", 401),
        ("//rest/1/…/methods", 405),
    }
    assert all(each["ms"] >= 0 and each["bytes"] > 0 and each["request_id"] for each in pages)
    assert [secret for secret in (CODE, TOKEN, "a-secret-in-a-query") if secret in output] == []


def both(server: Server) -> Any:
    metrics = scraped(server)
    return metrics if metrics("landyard_workers") == 2 else None


def scraped(server: Server) -> Any:
    status, _, body = server.ask("GET", "/-/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    assert status == 200
    found = {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(body.decode())
        for sample in family.samples
    }
    return lambda name, **labels: found.get((name, *sorted(labels.items())), 0.0)

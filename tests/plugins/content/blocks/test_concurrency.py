"""Answered edits survive concurrent edits and the death of a server (B14)."""

import http.client
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import DRAFT, PAGE, block, draft_html, find, page, stored, world
from kernel.processes import Server, serving

from landyard.testing import WEBHOOK, Service

EDITS = 100
ACKNOWLEDGED = 40
CALL = f"/rest/1/{WEBHOOK}/landing.block.updatenodes.json"

WORLD = world(
    page(PAGE, block(DRAFT, content="".join(f'<p class="n">old {i}</p>' for i in range(EDITS)))),
    manifests=[{"code": "test.all", "manifest": {"nodes": {".n": {"type": "text"}}}}],
)


@contextmanager
def _served(service: Service, folder: Path, *flags: str) -> Iterator[Server]:
    """The same database, served by server processes."""
    settings = service.kernel.settings
    with serving(
        folder,
        *flags,
        LANDYARD_DATA=str(settings.data),
        LANDYARD_DATABASE_URL=settings.database,
        LANDYARD_LOG_LEVEL="warning",
    ) as server:
        yield server


def _edit(server: Server, number: int) -> int:
    data = {f".n@{number}": f"new {number}"}
    body = {"lid": PAGE, "block": DRAFT, "data": data}
    return server.ask("POST", CALL, body, {"Content-Type": "application/json"})[0]


def _texts(service: Service) -> list[str]:
    return [each.text for each in find(draft_html(service), ".n")]


@pytest.mark.rule("B14")
def test_B14_edits_of_different_nodes_all_survive(
    make_service: MakeService, tmp_path: Path
) -> None:
    service = make_service(world=WORLD)

    with _served(service, tmp_path, "--workers", "2") as server, ThreadPoolExecutor(16) as clients:
        statuses = list(clients.map(lambda number: _edit(server, number), range(EDITS)))

    assert statuses == [200] * EDITS
    assert _texts(service) == [f"new {number}" for number in range(EDITS)]
    assert len(stored(service, "landing_history")) == EDITS


@pytest.mark.rule("B14")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_B14_answered_edits_survive_the_servers_death(
    make_service: MakeService, tmp_path: Path
) -> None:
    service = make_service(world=WORLD)
    answered: list[int] = []

    def edit(server: Server, number: int) -> None:
        try:
            if _edit(server, number) == 200:
                answered.append(number)
        except (OSError, http.client.HTTPException):
            return  # the server died before it answered
        if len(answered) >= ACKNOWLEDGED:
            server.process.kill()

    with _served(service, tmp_path) as server, ThreadPoolExecutor(8) as clients:
        list(clients.map(lambda number: edit(server, number), range(EDITS)))
        server.process.wait(10)

    texts = _texts(service)
    lost = [number for number in answered if texts[number] != f"new {number}"]
    assert ACKNOWLEDGED <= len(answered) < EDITS
    assert lost == []
    assert _whole(texts)


def _whole(texts: list[str]) -> Any:
    """Assert that each node holds a whole text: the old one or one that was sent."""
    return all(text in {f"old {i}", f"new {i}"} for i, text in enumerate(texts))

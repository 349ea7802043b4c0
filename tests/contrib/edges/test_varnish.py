"""A real Varnish in front of a service sends no outdated page."""

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from contract.pictures import drawn, encoded, picture
from contrib.edges.publishing import (
    FIRST,
    PAGES,
    WORLD,
    Publisher,
    Visitor,
    block_of,
    path_of,
    shown,
    workers,
)
from contrib.edges.varnish import Varnish, Way, needs_varnish
from faulty.load import Caller
from kernel.processes import Server, landyard, serving
from kernel.supervised import kill, until

pytestmark = needs_varnish


def _settings(way: Way, url: str = "") -> dict[str, Any]:
    return {
        **({"LANDYARD_DATABASE_URL": url} if url else {}),
        "LANDYARD_PLUGINS__ON": '["edges"]',
        "LANDYARD_PUBLIC__TAG_HEADERS": '["xkey"]',
        "LANDYARD_PUBLIC__S_MAXAGE": "3600",
        "LANDYARD_EDGES__VARNISH": msgspec.json.encode({"front": {"url": way.url}}).decode(),
    }


@contextmanager
def served(folder: Path, url: str = "") -> Iterator[tuple[Server, Varnish, Way]]:
    """Serve pages behind a Varnish, with a way for purges."""
    front = Varnish(folder)
    way = Way(front)
    settings = _settings(way, url)
    loaded = landyard(folder, "load", "-", given=msgspec.json.encode(WORLD), **settings)
    assert loaded.status == 0, loaded.err
    with serving(folder, "--workers", "2", **settings) as server:
        front.stand_before(server.port)
        front.start()
        way.open()
        try:
            until(lambda: _waiting(folder, settings) == 0)  # `load` purges everything
            yield server, front, way
        finally:
            way.cut()
            front.stop()


def _waiting(folder: Path, settings: dict[str, Any]) -> int:
    (edge,) = msgspec.json.decode(landyard(folder, "edges", "list", "--json", **settings).out)
    return int(edge["waiting"])


@contextmanager
def publishing(server: Server, front: Varnish) -> Iterator[tuple[Publisher, Caller]]:
    """Provide who publishes, and who reads through a Varnish."""
    publisher, reader = Publisher(server.port), Caller(front.port)
    try:
        yield publisher, reader
    finally:
        publisher.close()
        reader.close()


def test_a_publication_is_seen_through_varnish_within_a_second(tmp_path: Path) -> None:
    with (
        served(tmp_path) as (server, front, _),
        publishing(server, front) as (publisher, reader),
    ):
        for page_id in (FIRST, FIRST + 1, FIRST):
            before = shown(reader, page_id)
            assert shown(reader, page_id) == before
            publisher.publish(page_id)
            began = time.monotonic()
            assert _seconds_until_fresh(reader, publisher, page_id, began) < 1
        time.sleep(1)  # the purge is repeated
        kept = reader.ask(path_of(FIRST), verb="GET")
        server.stop()
        assert reader.ask(path_of(FIRST), verb="GET").body == kept.body  # Varnish keeps it


def test_a_file_of_a_removed_page_is_gone_from_varnish(tmp_path: Path) -> None:
    with (
        served(tmp_path) as (server, front, _),
        publishing(server, front) as (publisher, reader),
    ):
        given = {"block": block_of(FIRST), "picture": picture(encoded(drawn()))}
        path = urlsplit(publisher.call("landing.block.uploadfile", given)["src"]).path
        assert reader.ask(path, verb="GET").status == 200
        publisher.call("landing.landing.delete", {"lid": FIRST})
        began = time.monotonic()
        until(lambda: reader.ask(path, verb="GET").status == 404)
        assert time.monotonic() - began < 1


def test_pages_published_while_no_purge_arrives_are_fresh_soon_after(tmp_path: Path) -> None:
    ids = range(FIRST, FIRST + PAGES)
    with (
        served(tmp_path) as (server, front, way),
        publishing(server, front) as (publisher, reader),
    ):
        before = {each: shown(reader, each) for each in ids}
        way.cut()
        for page_id in ids:
            publisher.publish(page_id)
        time.sleep(8)  # several tries fail meanwhile
        assert {each: shown(reader, each) for each in ids} == before  # so Varnish has all of them
        listed = landyard(tmp_path, "edges", "list", "--json", **_settings(way))
        (edge,) = msgspec.json.decode(listed.out)
        assert (edge["name"], edge["error"]) == ("varnish.front", "host_not_reached")
        assert edge["waiting"] >= PAGES
        assert server.err.count("edge_not_purged") <= 4  # not a line for each try
        way.open()
        began = time.monotonic()
        late = max(_seconds_until_fresh(reader, publisher, each, began) for each in ids)
        print(f"\nfresh {late:.2f} s after the way is open")
        assert late < 5


def _seconds_until_fresh(reader: Caller, publisher: Publisher, page_id: int, began: float) -> float:
    due = publisher.due(page_id, began)[1]
    until(lambda: shown(reader, page_id) == due)
    return time.monotonic() - began


def publish_through_kills(
    folder: Path, database: Mapping[str, Any], publications: int, *, pause: float, every: float
) -> None:
    """Publish pages while workers are killed at random; no visitor may get an outdated page."""
    chance = random.Random(3)
    with served(folder, database.get("database_url", "")) as (server, front, _):
        publisher = Publisher(server.port)
        visitor = Visitor(front.port, publisher)
        kills, next_kill = 0, time.monotonic() + every
        with visitor.visiting(pause=0.004):
            for _ in range(publications):
                time.sleep(chance.uniform(0, 2 * pause))
                publisher.publish(FIRST + chance.randrange(PAGES))
                if time.monotonic() > next_kill and len(found := workers(server)) > 1:
                    time.sleep(chance.uniform(0, 0.03))  # before, within or after the purge
                    kill(chance.choice(found))
                    kills += 1
                    next_kill = time.monotonic() + chance.uniform(0.5, 1.5) * every
            time.sleep(2)
        publisher.close()
    told = f"{publications} publications, {kills} kills, {visitor.read} pages read"
    told += f", {len(visitor.outdated)} outdated after a second"
    print(f"\n{told}; the longest outdated for {visitor.longest:.2f} s; {visitor.missing} not read")
    assert kills
    assert not visitor.outdated, visitor.outdated[:5]


def test_no_page_is_outdated_after_a_second_though_workers_are_killed(
    tmp_path: Path, database: dict[str, Any]
) -> None:
    publish_through_kills(tmp_path, database, 200, pause=0.01, every=0.5)


@pytest.mark.soak
def test_no_page_of_2000_publications_is_outdated_after_a_second(
    tmp_path: Path, database: dict[str, Any]
) -> None:
    publish_through_kills(tmp_path, database, 2000, pause=0.1, every=1.0)

"""Pages that are made, filled, published, cut and deleted, and pictures that are stored: requests
that cannot be repeated.
"""

import base64
import io
import json
from collections.abc import Mapping

import msgspec
from bench.answers import drafts, require, shown
from bench.contest import Contest, Row
from bench.load import Measured
from bench.scenarios import (
    ADDBLOCK,
    ADDBYTEMPLATE,
    DELETE,
    PAGE_MARK,
    PUBLICATION,
    REMOVECARD,
    UPLOADFILE,
    USED_UP,
)
from bench.sending import post, send_all
from bench.servers import processor
from bench.world import BLOCK_CODE, BLOCKS, CARD, SITE, SMALL_CARDS, TEMPLATE, content
from msgspec import Struct
from PIL import Image

PAGES = 200  # of a round; deleting a hundred takes less than a tenth of a second
PICTURES = 300
_CUT = 20  # pages of a round whose cards are removed, 20 from each


class _Server(Struct, frozen=True):
    """The port of a server, and its process id."""

    port: int
    pid: int

    def send(self, requests: list[bytes]) -> tuple[Measured, list[bytes]]:
        """Send requests, and record their cost."""
        before = processor(self.pid)
        measured, bodies = send_all(self.port, requests)
        used = (processor(self.pid) - before) / len(requests) * 1e6
        return msgspec.structs.replace(measured, cost=used), bodies


def use_up(running: Contest, rounds: int, wanted: set[str]) -> list[Row]:
    """Measure the selected scenarios of `USED_UP`, in turn."""
    peers = {
        name: _Server(running.ports[name], running.pids[name])
        for name in ("landyard", "limit", "twin")
        if name in running.ports
    }
    rows = {
        each.name: Row(each, {name: [] for name in peers if each.asks(name)}) for each in USED_UP
    }
    for number in range(rounds + 1):
        for name, server in sorted(
            peers.items(), key=lambda each: each[0], reverse=bool(number % 2)
        ):
            asked = {each.name for each in USED_UP if each.asks(name)}
            found = _round(server, number, wanted & asked)
            if number:  # the first round warms up
                for scenario, measured in found.items():
                    rows[scenario].rounds[name].append(measured)
    return [row for row in rows.values() if row.rounds["landyard"]]


def _round(server: _Server, number: int, wanted: set[str]) -> Mapping[str, Measured]:
    found: dict[str, Measured] = {}
    if wanted - {UPLOADFILE.name}:
        pages = _made(found, server, number)
        if ADDBLOCK.name in wanted or PUBLICATION.name in wanted:
            _published(found, server, pages)
        if REMOVECARD.name in wanted:
            _cut(found, server, pages[:_CUT])
        deletions = [post(DELETE.path, {"lid": page}) for page in pages]
        found[DELETE.name] = server.send(deletions)[0]
    if UPLOADFILE.name in wanted:
        found[UPLOADFILE.name] = _uploaded(server)
    return {name: measured for name, measured in found.items() if name in wanted}


def _made(found: dict[str, Measured], server: _Server, number: int) -> list[int]:
    new = [
        post(
            ADDBYTEMPLATE.path,
            {
                "siteId": SITE,
                "code": TEMPLATE,
                "fields": {"TITLE": f"{PAGE_MARK}{number * PAGES + each}"},
            },
        )
        for each in range(PAGES)
    ]
    found[ADDBYTEMPLATE.name], bodies = server.send(new)
    pages = [int(json.loads(body)["result"]) for body in bodies]
    told = list(drafts(server.port, pages[0]).values())
    whole = len(told) == len(BLOCKS) and all(
        content(block) in told[place] for place, block in enumerate(BLOCKS)
    )
    require(whole, "addByTemplate: the page is not the template's")
    return pages


def _published(found: dict[str, Measured], server: _Server, pages: list[int]) -> None:
    new = {"CODE": BLOCK_CODE}
    added = [post(ADDBLOCK.path, {"lid": page, "fields": new}) for page in pages]
    found[ADDBLOCK.name] = server.send(added)[0]
    published = [post(PUBLICATION.path, {"lid": page}) for page in pages]
    found[PUBLICATION.name] = server.send(published)[0]
    told = [len(shown(server.port, page)) for page in pages]
    require(set(told) == {len(BLOCKS) + 1}, f"publication: so many blocks are shown: {told}")


def _cut(found: dict[str, Measured], server: _Server, pages: list[int]) -> None:
    cards = [
        post(REMOVECARD.path, {"lid": page, "block": block, "selector": f"{CARD}@0"})
        for page in pages
        for block in drafts(server.port, page)
        for _ in range(SMALL_CARDS)
    ]
    found[REMOVECARD.name] = server.send(cards)[0]
    left = drafts(server.port, pages[-1]).values()
    require(not any("landing-block-card" in html for html in left), "removecard: a card is left")


def _uploaded(server: _Server) -> Measured:
    written = io.BytesIO()
    Image.radial_gradient("L").resize((64, 64)).save(written, "PNG")
    picture = ["a.png", base64.b64encode(written.getvalue()).decode()]
    sent = post(UPLOADFILE.path, {"block": BLOCKS[2], "picture": picture})
    measured, bodies = server.send([sent] * PICTURES)
    told = json.loads(bodies[0])["result"]
    require(told["src"].startswith("/files/"), f"uploadfile: {told}")
    return measured

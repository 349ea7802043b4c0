"""Pages that are made, whose cards are taken out, and that are deleted; and pictures kept."""

import base64
import io
import json
from collections.abc import Mapping

from bench.answers import drafts, require
from bench.contest import Ports, Row
from bench.load import Measured
from bench.scenarios import (
    ADDBYTEMPLATE,
    DELETE,
    PAGE_MARK,
    REMOVECARD,
    UPLOADFILE,
    USED_UP,
)
from bench.sending import post, send_all
from bench.world import BLOCKS, CARD, SITE, SMALL_CARDS, TEMPLATE, content
from PIL import Image

PAGES = 100  # of a round
PICTURES = 100
_CUT = 20  # pages of a round whose cards are taken out: 20 from each


def use_up(ports: Ports, rounds: int, wanted: set[str]) -> list[Row]:
    """Measure all of `USED_UP` that are wanted, by turns."""
    peers = {name: ports[name] for name in ("landyard", "limit", "twin") if name in ports}
    rows = {each.name: Row(each, {name: [] for name in peers}) for each in USED_UP}
    for number in range(rounds + 1):
        for name, port in sorted(peers.items(), reverse=bool(number % 2)):
            found = _round(port, number, wanted)
            if number:  # the first warms up
                for scenario, measured in found.items():
                    rows[scenario].rounds[name].append(measured)
    return [row for row in rows.values() if row.rounds["landyard"]]


def _round(port: int, number: int, wanted: set[str]) -> Mapping[str, Measured]:
    found: dict[str, Measured] = {}
    if wanted & {ADDBYTEMPLATE.name, REMOVECARD.name, DELETE.name}:
        pages = _made(found, port, number)
        if REMOVECARD.name in wanted:
            _cut(found, port, pages[:_CUT])
        deletions = [post(DELETE.path, {"lid": page}) for page in pages]
        found[DELETE.name] = send_all(port, deletions)[0]
    if UPLOADFILE.name in wanted:
        found[UPLOADFILE.name] = _uploaded(port)
    return {name: measured for name, measured in found.items() if name in wanted}


def _made(found: dict[str, Measured], port: int, number: int) -> list[int]:
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
    found[ADDBYTEMPLATE.name], bodies = send_all(port, new)
    pages = [int(json.loads(body)["result"]) for body in bodies]
    told = list(drafts(port, pages[0]).values())
    whole = len(told) == len(BLOCKS) and all(
        content(block) in told[place] for place, block in enumerate(BLOCKS)
    )
    require(whole, "addByTemplate: the page is not the template's")
    return pages


def _cut(found: dict[str, Measured], port: int, pages: list[int]) -> None:
    cards = [
        post(REMOVECARD.path, {"lid": page, "block": block, "selector": f"{CARD}@0"})
        for page in pages
        for block in drafts(port, page)
        for _ in range(SMALL_CARDS)
    ]
    found[REMOVECARD.name] = send_all(port, cards)[0]
    left = drafts(port, pages[-1]).values()
    require(not any("landing-block-card" in html for html in left), "removecard: a card is left")


def _uploaded(port: int) -> Measured:
    written = io.BytesIO()
    Image.radial_gradient("L").resize((64, 64)).save(written, "PNG")
    picture = ["a.png", base64.b64encode(written.getvalue()).decode()]
    sent = post(UPLOADFILE.path, {"block": BLOCKS[2], "picture": picture})
    measured, bodies = send_all(port, [sent] * PICTURES)
    told = json.loads(bodies[0])["result"]
    require(told["src"].startswith("/files/"), f"uploadfile: {told}")
    return measured

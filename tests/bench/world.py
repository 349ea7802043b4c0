"""The data of all servers: a site of pages with small, large and many blocks."""

from collections.abc import Iterable
from typing import Any

from corpora import read_data

USER = 1
CODE = "bench-code-0123456789"
SITE, FOLDER = 7, 5
PAGE, LARGE, MANY = 10, 11, 12
"""Pages of ten blocks of 1 kB, of ten of 10 kB, and of a thousand of 1 kB."""
BLOCKS, LARGE_BLOCKS, MANY_BLOCKS = range(100, 110), range(300, 310), range(10_000, 11_000)
"""Their draft blocks."""
SPARE = range(50, 82)
"""Pages of one block, to be moved, trashed and restored; the draft of page N is block N * 10."""

BLOCK_CODE = "bench.card"
BLOCK_NAME = "Bench card"
NODES = read_data(__file__, "NODES", dict[str, dict[str, str]])
CARDS = read_data(__file__, "CARDS", dict[str, dict[str, str]])
ATTRS = read_data(__file__, "ATTRS", dict[str, dict[str, str]])
TITLE = ".landing-block-node-title"
CARD = ".landing-block-card"
TEMPLATE = "bench.page"
PAGE_PATH = "/shop/"
STAMP = "2026-01-02T03:04:05Z"

SMALL_CARDS, LARGE_CARDS = 2, 22  # of a block of 1 kB and of one of 10 kB
_SENTENCE = "The tide comes in twice a day and the boats rise with it, one after the other. "
_STAMPS = {"created_at": STAMP, "modified_at": STAMP, "created_by": USER, "modified_by": USER}


def content(number: int, cards: int = SMALL_CARDS) -> str:
    """Write the HTML of one block as a page builder writes it: about 400 bytes per card."""
    inside = "\n".join(
        f'    <div class="landing-block-card col-md-4 g-mb-30">\n'
        f'      <h3 class="landing-block-node-subtitle g-color-black g-mb-10">Card {card}</h3>\n'
        f'      <p class="landing-block-node-text g-color-gray-dark-v4">{_SENTENCE * 2}</p>\n'
        f'      <a class="landing-block-node-link btn" href="/{card}/" target="_self">More</a>\n'
        f"    </div>"
        for card in range(1, cards + 1)
    )
    return (
        '<section class="landing-block g-pt-60 g-pb-60">\n  <div class="container">\n'
        f'    <h2 class="landing-block-node-title g-font-weight-600">Block {number}</h2>\n'
        f"{inside}\n  </div>\n</section>"
    )


def published(draft: int) -> int:
    """Return the id of a draft block's published copy."""
    return draft + 20_000


def world() -> dict[str, Any]:
    """Return the world file."""
    given = read_data(__file__, "WORLD", dict[str, list[dict[str, Any]]])
    manifest = {"nodes": NODES, "cards": CARDS, "attrs": ATTRS}
    given["manifests"][0] |= {"manifest": manifest, "content": content(0)}
    given["templates"][0]["blocks"] = [_block(number, SMALL_CARDS) for number in BLOCKS]
    given["pages"] = [
        _page(PAGE, "home", BLOCKS),
        _page(LARGE, "large", LARGE_BLOCKS, LARGE_CARDS),
        _page(MANY, "many", MANY_BLOCKS),
        *(_page(number, f"spare-{number}", [number * 10]) for number in SPARE),
    ]
    return given


def _page(
    number: int, code: str, blocks: Iterable[int], cards: int = SMALL_CARDS
) -> dict[str, Any]:
    return {
        "id": number,
        "site": SITE,
        "code": code,
        "title": "Bench",
        "active": True,
        "published": True,
        **_STAMPS,
        "blocks": [
            {**_block(each, cards), "id": each, "published_id": published(each), **_STAMPS}
            for each in blocks
        ],
    }


def _block(number: int, cards: int) -> dict[str, Any]:
    return {"code": BLOCK_CODE, "content": content(number, cards)}

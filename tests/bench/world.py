"""The data that all servers answer from: one site, one published page of ten blocks, a template."""

from typing import Any

from corpora import read_data

USER = 1
CODE = "bench-code-0123456789"
SITE, PAGE = 7, 10
BLOCKS = range(100, 110)
"""The draft blocks; the published copy of block N is block N + 100."""

BLOCK_CODE = "bench.card"
BLOCK_NAME = "Bench card"
NODES = read_data(__file__, "NODES", dict[str, dict[str, str]])
TITLE = ".landing-block-node-title"
TEMPLATE = "bench.page"
PAGE_PATH = "/shop/"
STAMP = "2026-01-02T03:04:05Z"

_CARDS = 5
_SENTENCE = "The tide comes in twice a day and the boats rise with it, one after the other. "


def content(number: int) -> str:
    """Write the HTML of one block, a little more than 2 kB, as a page builder writes it."""
    cards = "\n".join(
        f'    <div class="landing-block-card col-md-4 g-mb-30">\n'
        f'      <h3 class="landing-block-node-subtitle g-color-black g-mb-10">Card {card}</h3>\n'
        f'      <p class="landing-block-node-text g-color-gray-dark-v4">{_SENTENCE * 2}</p>\n'
        f'      <a class="landing-block-node-link btn" href="/{card}/" target="_self">More</a>\n'
        f"    </div>"
        for card in range(1, _CARDS + 1)
    )
    return (
        '<section class="landing-block g-pt-60 g-pb-60">\n  <div class="container">\n'
        f'    <h2 class="landing-block-node-title g-font-weight-600">Block {number}</h2>\n'
        f"{cards}\n  </div>\n</section>"
    )


def world() -> dict[str, Any]:
    """Return the world file."""
    stamps = {"created_at": STAMP, "modified_at": STAMP, "created_by": USER, "modified_by": USER}
    given = read_data(__file__, "WORLD", dict[str, list[dict[str, Any]]])
    given["manifests"][0] |= {"manifest": {"nodes": NODES}, "content": content(0)}
    given["templates"][0]["blocks"] = [_block(number) for number in BLOCKS]
    published = [
        {**_block(number), "id": number, "published_id": number + 100, **stamps}
        for number in BLOCKS
    ]
    given["pages"][0] |= {**stamps, "blocks": published}
    return given


def _block(number: int) -> dict[str, Any]:
    return {"code": BLOCK_CODE, "content": content(number)}

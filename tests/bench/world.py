"""The data that all servers answer from: one site, one published page of ten blocks, a template."""

from typing import Any

USER = 1
CODE = "bench-code-0123456789"
SITE, PAGE = 7, 10
BLOCKS = range(100, 110)
"""The draft blocks; the published copy of block N is block N + 100."""

BLOCK_CODE = "bench.card"
BLOCK_NAME = "Bench card"
NODES = {
    ".landing-block-node-title": {"name": "Title", "type": "text"},
    ".landing-block-node-text": {"name": "Text", "type": "text"},
    ".landing-block-node-link": {"name": "Link", "type": "link"},
}
TITLE = ".landing-block-node-title"
TEMPLATE = "bench.page"
PAGE_PATH = "/shop/"
PAGE_TITLE = "Bench"
SEO = {"METAOG_TITLE": "Bench page", "METAMAIN_DESCRIPTION": "Ten blocks"}
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
    return {
        "users": [
            {
                "id": USER,
                "name": "Bench",
                "sites_access": True,
                "rights": {"*": ["view"], str(SITE): ["view", "edit"]},
            }
        ],
        "webhooks": [{"user": USER, "code": CODE, "scopes": ["landing"]}],
        "manifests": [
            {
                "code": BLOCK_CODE,
                "name": BLOCK_NAME,
                "manifest": {"nodes": NODES},
                "content": content(0),
            }
        ],
        "templates": [
            {
                "code": TEMPLATE,
                "title": "Bench page",
                "fields": {"TITLE": "Bench page", "ADDITIONAL_FIELDS": SEO},
                "blocks": [{"code": BLOCK_CODE, "content": content(n)} for n in BLOCKS],
            }
        ],
        "sites": [{"id": SITE, "code": "shop", "title": "Shop", "main_page": PAGE}],
        "pages": [
            {
                "id": PAGE,
                "site": SITE,
                "code": "home",
                "title": PAGE_TITLE,
                "active": True,
                "published": True,
                **stamps,
                "blocks": [
                    {
                        "id": number,
                        "code": BLOCK_CODE,
                        "content": content(number),
                        "published_id": number + 100,
                        **stamps,
                    }
                    for number in BLOCKS
                ],
            }
        ],
    }

"""The story of a page's life, which every client plays in its own spelling.

It uses the twelve methods, and those of a page builder that arrange blocks, publish, and send
several calls at once.
"""

import base64
import struct
import zlib
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import urljoin

import sqlalchemy as sa
from clients.brackets import query
from clients.conftest import Demo
from contract.rules import rows
from corpora import read_data

from landyard_landing.change_tables import HISTORY
from landyard_landing.tables import PAGES

BLOCK, PAGE = "landing.block", "landing.landing"
TWELVE = read_data(__file__, "TWELVE", list[str])

# The rules that the story proves, whichever client plays it.
PROVEN = (
    *rows(f"{BLOCK}.uploadfile", "block picture params.width params.height result.id result.src"),
    *rows(f"{BLOCK}.updatenodes", "data:@ data:text data:img data:link result"),
    *rows(f"{BLOCK}.getlist", "params.edit_mode params.get_content result.content"),
    *rows(f"{BLOCK}.updateattrs", "data data:@ result"),
    *rows(f"{BLOCK}.removecard", "selector preventHistory result"),
    *rows(f"{PAGE}.addByTemplate", "siteId code fields.TITLE fields.ID result"),
    *rows(f"{PAGE}.update", "fields.CODE fields.ADDITIONAL_FIELDS result"),
    *rows(f"{PAGE}.move", "toSiteId toFolderId result"),
    *rows(f"{PAGE}.markDelete", "mark result"),
    *rows(f"{PAGE}.delete", "result"),
    *rows(f"{PAGE}.getpublicurl", "result"),
    "methods result",
    *(f"state: {it}" for it in ("addByTemplate", "draft edit", "move", "delete")),
    *(f"state: markDelete {mark}" for mark in ("true", "false")),
    *("B14", "P10", "P11", "U2"),
)

PRICE = ".landing-block-node-price"
PICTURE = ".landing-block-node-img"
BUTTON = ".landing-block-node-button"
CARD, CARD_TITLE = ".landing-block-card", ".landing-block-node-card-title"
TITLE = ".landing-block-node-title"
FOLDER = 5  # of the world in conftest.py
# The visible state of a page, by whether it is deleted and active; in the trash no page is active.
STATES = {(False, True): "public", (False, False): "hidden", (True, False): "in the trash"}


def _png(width: int, height: int) -> bytes:
    """Make a red picture of this many pixels."""
    pixels = zlib.compress((b"\0" + b"\xff\0\0" * width) * height)
    header = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


ORIGINAL = _png(4, 2)
UPLOADED = ["Лампа (1).png", base64.b64encode(ORIGINAL).decode()]

# One refusal of each method that has any; `methods` refuses only credentials. Block 201 is a
# published one, and the invalid picture is a letter.
REFUSALS = read_data(__file__, "REFUSALS", list[tuple[str, dict[str, Any], str]])
REFUSED_BY = [method for method, *_ in REFUSALS]


class Client(Protocol):
    """A client of any kind: calls a method and returns its result, or fails."""

    def __call__(self, method: str, **params: Any) -> Any: ...


class Batch(Protocol):
    """A client's own way to send several calls at once: each key's result, where none fails."""

    def __call__(self, commands: Mapping[str, tuple[str, dict[str, Any]]]) -> Any: ...


def live(call: Client, demo: Demo, name: str, batch: Batch | None = None) -> None:
    """Make a page, edit, publish, move and trash it, restore and delete it.

    `name` is this client's own: it becomes the page's code. Without a `batch` of its own a client
    calls the method of that name.
    """
    assert set(TWELVE) <= set(call("methods"))
    page = call(f"{PAGE}.addByTemplate", siteId=1, code="product", fields={"TITLE": name, "ID": 10})
    url = call(f"{PAGE}.getpublicurl", lid=page)
    # Beside an active page it is published at once.
    assert f"<title>{name}</title>" in demo.visit(url)[1]

    src = _edit(call, demo, page)
    _arrange(call, batch or _plainly(call), page)
    named = {
        "TITLE": name,
        "CODE": f"lamp-{name}",
        "ADDITIONAL_FIELDS": {"METAMAIN_TITLE": f"Лампа & {name}"},
    }
    assert call(f"{PAGE}.update", lid=page, fields=named) is True
    url = _publish(call, demo, page, src, name)
    picture = urljoin(url, src)
    assert demo.fetch(picture) == ORIGINAL

    assert call(f"{PAGE}.move", lid=page, toSiteId=0, toFolderId=FOLDER) is True
    moved = call(f"{PAGE}.getpublicurl", lid=page)
    assert moved == url.replace("/lamp-", "/shelf/lamp-")
    assert (demo.visit(url)[0], demo.visit(moved)[0]) == (301, 200)

    assert call(f"{PAGE}.markDelete", lid=page) == page
    assert (demo.visit(moved)[0], state(demo, page)) == (404, "in the trash")
    assert call(f"{PAGE}.markDelete", lid=page, mark=False) == page
    assert (demo.visit(moved)[0], state(demo, page)) == (404, "hidden")

    assert demo.visit(picture)[0] == 200
    assert call(f"{PAGE}.delete", lid=page) is True
    assert (demo.visit(picture)[0], state(demo, page)) == (404, None)


def state(demo: Demo, page: int) -> str | None:
    """Read the state of a page from the database; None when it is gone."""
    table = PAGES
    with demo.tables() as connection:
        query = sa.select(table.c.deleted, table.c.active).where(table.c.id == page)
        row = connection.execute(query).one_or_none()
    return STATES[(row.deleted, row.active)] if row else None


def edits(demo: Demo, block: int) -> int:
    """Count a block's entries in the history, which the contract has no way to read."""
    with demo.tables() as connection:
        count = sa.select(sa.func.count()).where(HISTORY.block_id == block)
        found: int = connection.execute(count).scalar_one()
    return found


def _edit(call: Client, demo: Demo, page: int) -> str:
    """Change the content of the page in its draft; return the address of the uploaded picture."""
    blocks = {block["code"]: block["id"] for block in _draft(call, page)}
    shown, steps = blocks["ly.product"], blocks["ly.steps"]
    src = _upload(call, demo, shown)
    nodes = {
        PRICE: "£150 & post",
        PICTURE: {"src": src, "alt": "Лампа"},
        BUTTON: {"text": "Ask", "href": "/demo/visit/", "target": "_blank"},
    }
    attrs = {PICTURE: {"loading": "eager"}, f"{BUTTON}@0": {"title": "By post & boat"}}

    edit: dict[str, Any] = {"lid": page, "block": shown}
    assert call(f"{BLOCK}.updatenodes", **edit, data=nodes, preventHistory=False) is True
    assert call(f"{BLOCK}.updateattrs", **edit, data=attrs) is True
    edit = {"lid": page, "block": steps}
    assert call(f"{BLOCK}.updatenodes", **edit, data={f"{CARD_TITLE}@1": "Riveted"}) is True
    assert call(f"{BLOCK}.removecard", **edit, selector=f"{CARD}@2", preventHistory=True) is True
    assert (edits(demo, shown), edits(demo, steps)) == (2, 1)
    assert call(f"{BLOCK}.clonecard", **edit, selector=f"{CARD}@1") is True
    return src


def _arrange(call: Client, batch: Batch, page: int) -> None:
    """Put two new blocks in order: one by several calls, one by references inside a batch."""
    first = [block["id"] for block in _draft(call, page)]
    added = call(f"{PAGE}.addblock", lid=page, fields={"CODE": "ly.text", "AFTER_ID": first[-1]})
    place = {"AFTER_ID": first[0]}
    assert call(f"{PAGE}.moveblock", lid=page, block=added, params=place) == added

    made = {"lid": page, "block": "$result[added]"}
    came = batch(
        {
            "added": (f"{PAGE}.addblock", {"lid": page, "fields": {"CODE": "ly.call"}}),
            "moved": (f"{PAGE}.moveblock", {**made, "params": {"AFTER_ID": added}}),
            "edited": (f"{BLOCK}.updatenodes", {**made, "data": {TITLE: "Land & water"}}),
        }
    )

    assert (came["moved"], came["edited"]) == (came["added"], True)
    ids = [block["id"] for block in _draft(call, page)]
    assert ids == [first[0], added, came["added"], *first[1:]]


def _plainly(call: Client) -> Batch:
    """Send several calls at once through the method `batch`."""

    def batch(commands: Mapping[str, tuple[str, dict[str, Any]]]) -> Any:
        written = {key: f"{method}?{query(params)}" for key, (method, params) in commands.items()}
        came = call("batch", cmd=written, halt=False)
        assert came["result_error"] == [], came
        return came["result"]

    return batch


def _draft(call: Client, page: int) -> Any:
    return call(f"{BLOCK}.getlist", lid=page, params={"edit_mode": True})


def _upload(call: Client, demo: Demo, block: int) -> str:
    """Upload a picture unchanged and one to be resized; return the address of the first."""
    size = {"width": 2, "height": 2, "resize_type": 2}

    kept = call(f"{BLOCK}.uploadfile", block=block, picture=UPLOADED)
    resized = call(f"{BLOCK}.uploadfile", block=block, picture=UPLOADED, params=size)

    assert 0 < kept["id"] < resized["id"]
    assert kept["src"].endswith("__1_.png")
    assert _png(2, 2)[:24] == demo.fetch(urljoin(demo.http, resized["src"]))[:24]
    return str(kept["src"])


def _publish(call: Client, demo: Demo, page: int, src: str, name: str) -> str:
    """Publish the page; return its address."""
    written = [
        "£150 &amp; post</span>",
        f'src="{src}"',
        'alt="Лампа"',
        'loading="eager"',
        'href="/demo/visit/"',
        'title="By post &amp; boat"',
        ">Riveted</h3>",
        ">Land &amp; water</h2>",
    ]
    replaced = [">Joined</h3>", ">Balanced</h3>"]
    draft, public = (
        "".join(
            block["content"]
            for block in call(
                f"{BLOCK}.getlist", lid=page, params={"get_content": True, "edit_mode": edit_mode}
            )
        )
        for edit_mode in (True, False)
    )
    assert [text for text in written if text not in draft] == []
    assert [text for text in written if text in public] == []
    url: str = call(f"{PAGE}.getpublicurl", lid=page)
    assert url.endswith(f"/demo/lamp-{name}/")
    assert [text for text in written if text in demo.visit(url)[1]] == []

    assert call(f"{PAGE}.publication", lid=page) is True

    shown = demo.visit(url)[1]
    written.append(f"<title>Лампа &amp; {name}</title>")
    assert [text for text in written if text not in shown] == []
    assert [text for text in replaced if text in shown or text in draft] == []
    assert shown.count(">Riveted</h3>") == 2
    return url

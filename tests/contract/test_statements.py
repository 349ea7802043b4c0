"""The number of SQL statements of the contract's methods: on PostgreSQL each costs a round trip.

All plugins are on, as in every service. The last statement (on SQLite the last two) writes the row
of the audit together with that of undo. Statements that begin or end a transaction are not counted.
"""

import base64
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from bench import world as bench
from conftest import MakeService
from contract.pictures import PNG
from kernel.statements import sent

COUNTS = {
    "methods": (0, 0),
    "getlist": (2, 2),
    "getlist of three pages": (5, 5),
    "updatenodes": (3, 5),
    "updateattrs": (3, 5),
    "removecard": (3, 5),
    "uploadfile": (4, 5),
    "addByTemplate": (4, 6),
    "update": (3, 4),
    "move": (5, 7),
    "move into a folder": (5, 6),
    "markDelete": (3, 4),
    "markDelete, back": (5, 6),
    "delete": (4, 5),
    "getpublicurl": (1, 1),
}
"""The counts on PostgreSQL and on SQLite, where one statement cannot write two tables."""
EDITED = {"lid": bench.PAGE, "block": bench.BLOCKS[0]}
MOVED, MARKED, *GONE = bench.SPARE[:4]
PICTURE = ["dot.png", base64.b64encode(PNG).decode()]
CALLS: Mapping[str, tuple[str, list[dict[str, Any]]]] = {
    "methods": ("methods", [{}, {}]),
    "getlist": ("landing.block.getlist", [{"lid": bench.PAGE}] * 2),
    "getlist of three pages": (
        "landing.block.getlist",
        [{"lid": [bench.PAGE, *bench.SPARE[:2]]}] * 2,
    ),
    "updatenodes": (
        "landing.block.updatenodes",
        [{**EDITED, "data": {bench.TITLE: text}} for text in ("One", "Two")],
    ),
    "updateattrs": (
        "landing.block.updateattrs",
        [{**EDITED, "data": {bench.CARD: {"data-tone": text}}} for text in ("one", "two")],
    ),
    "removecard": ("landing.block.removecard", [{**EDITED, "selector": f"{bench.CARD}@0"}] * 2),
    "uploadfile": (
        "landing.block.uploadfile",
        [{"block": EDITED["block"], "picture": PICTURE}] * 2,
    ),
    "addByTemplate": (
        "landing.landing.addByTemplate",
        [
            {"siteId": bench.SITE, "code": bench.TEMPLATE, "fields": {"TITLE": text}}
            for text in ("One", "Two")
        ],
    ),
    "update": (
        "landing.landing.update",
        [{"lid": bench.PAGE, "fields": {"TITLE": text}} for text in ("One", "Two")],
    ),
    "move": (
        "landing.landing.move",
        [{"lid": MOVED, "toFolderId": folder} for folder in (bench.FOLDER, 0)],
    ),
    "move into a folder": (
        "landing.landing.move",
        [{"lid": MOVED, "toFolderId": folder} for folder in (0, bench.FOLDER)],
    ),
    "markDelete": (
        "landing.landing.markDelete",
        [{"lid": MARKED, "mark": mark} for mark in (False, True)],
    ),
    "markDelete, back": (
        "landing.landing.markDelete",
        [{"lid": MARKED, "mark": mark} for mark in (True, False)],
    ),
    "delete": ("landing.landing.delete", [{"lid": page} for page in GONE]),
    "getpublicurl": ("landing.landing.getpublicurl", [{"lid": bench.PAGE}] * 2),
}
"""Each method is called twice: the first call also reads the types of blocks and opens
connections.
"""


def test_a_call_sends_no_more_statements_than_recorded(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    # otherwise the credential is looked up again
    monkeypatch.setattr("landyard.auth.cache.REMEMBERED_FOR", 3600.0)
    service = make_service(world=bench.world())
    call = partial(service.call, user=bench.USER, webhook=bench.CODE)
    found: dict[str, int] = {}

    with sent(service.kernel.store) as statements:
        for name, (method, (first, second)) in CALLS.items():
            assert call(method, first).error is None
            statements.clear()
            assert call(method, second).error is None
            found[name] = len([each for each in statements if not _is_of_a_transaction(each)])

    on_sqlite = service.kernel.store.sqlite
    assert found == {name: counts[on_sqlite] for name, counts in COUNTS.items()}


def _is_of_a_transaction(statement: str) -> bool:
    return statement.startswith(("BEGIN", "SAVEPOINT", "RELEASE", "COMMIT"))

"""Races: reads beside writes, and removals beside calls that name the removed row.

The calls run in this process or over HTTP; the answers that callers get are checked.
"""

import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from contract.worlds import block, page, site, user, world
from msgspec import Struct

BLOCK, NODES = "landing.block.getlist", "landing.block.updatenodes"
PAGES, UPDATE = "landing.landing.getList", "landing.landing.update"
WRITERS, SEED = 3, 23
REFUSED = {
    *("ACCESS_DENIED", "LANDING_NOT_EXIST", "SITE_NOT_FOUND", "FOLDER_NOT_FOUND"),
    *("UNDO_CONFLICT", "UNDO_NOT_POSSIBLE", "SITE_IS_NOT_EMPTY", "BLOCK_NOT_FOUND"),
    *("CALL_NOT_KEPT", "ENTITY_NOT_FOUND", "LANDING_ERROR"),
}
WORLD = world(
    page(10, block(100), block(101), title="0"),
    page(11, block(110), title="0"),
    sites=[site(8)],
    folders=[{"id": 1, "site": 7, "code": "folder"}],
    users=[user(2, sites_access=True)],
)


class Reply(Struct, frozen=True):
    """The answer to a call: its result or its error code, and the call's id."""

    result: Any = None
    error: str | None = None
    status: int = 200
    id: str = ""


Ask = Callable[[str, dict[str, Any]], Reply]
"""Makes a call. Each thread uses a function of its own."""


class Pairs:
    """States of a block or page, and the revisions answered with them: each state has one
    revision.
    """

    def __init__(self) -> None:
        self.reads = 0
        self._lock = threading.Lock()
        self._revisions: dict[str, set[str]] = {}
        self._states: dict[str, set[str]] = {}

    def note(self, state: str, revision: str) -> None:
        with self._lock:
            self.reads += 1
            self._revisions.setdefault(state, set()).add(revision)
            self._states.setdefault(revision, set()).add(state)

    @property
    def wrong(self) -> list[Any]:
        both = [*self._revisions.items(), *self._states.items()]
        return [(one, others) for one, others in both if len(others) > 1]


def _text(content: str) -> str:
    found = re.search(r'class="title"[^>]*>([^<]*)<', content) or re.search(
        r">([^<>]+)</h2>", content
    )
    return found[1] if found else content


def read_pair(ask: Ask, way: int) -> tuple[str, str] | None:
    """Read a block or a page together with its revision; `way` selects one of four methods."""
    mode = {"edit_mode": True, "get_content": True, "get_revision": True}
    if way == 0:
        listed = ask(BLOCK, {"lid": 10, "params": mode}).result
        return (_text(listed[0]["content"]), listed[0]["revision"]) if listed else None
    if way == 1:
        one = ask("landing.block.getbyid", {"block": 100, "params": mode}).result
        return (_text(one["content"]), one["revision"]) if one else None
    if way == 2:
        more = {"wrapper_show": True, "get_revision": True}
        params = {"lid": 10, "block": 100, "editMode": True, "params": more}
        shown = ask("landing.block.getcontent", params).result
        return (_text(shown["content"]), shown["revision"]) if shown else None
    params = {"select": ["ID", "TITLE"], "filter": {"ID": 10}, "get_revision": True}
    rows = ask(PAGES, {"params": params}).result
    return (f"page {rows[0]['TITLE']}", rows[0]["REVISION"]) if rows else None


def race_reads(makers: Sequence[Callable[[], Ask]], reads: int) -> tuple[Pairs, list[Any]]:
    """Read pairs while other threads write; return the pairs, and the refused calls."""
    pairs, over, wrong = Pairs(), threading.Event(), []

    def write(number: int, make: Callable[[], Ask]) -> None:
        ask, turn = make(), 0
        while not over.is_set():
            turn += 1
            text = f"{number} {turn}"
            edit = {"lid": 10, "block": 100, "data": {".title": text}}
            for told in (ask(NODES, edit), ask(UPDATE, {"lid": 10, "fields": {"TITLE": text}})):
                if told.error:
                    wrong.append(told)

    def read(make: Callable[[], Ask]) -> None:
        ask = make()
        for turn in range(reads // 2):
            if pair := read_pair(ask, turn % 4):
                pairs.note(*pair)

    with ThreadPoolExecutor(WRITERS + 2) as pool:
        writing = [pool.submit(write, each, makers[each % len(makers)]) for each in range(WRITERS)]
        reading = [pool.submit(read, make) for make in (makers[0], makers[-1])]
        try:
            for each in reading:
                each.result()
        finally:
            over.set()
        for each in writing:
            each.result()
    return pairs, wrong


def race_edits(makers: Sequence[Callable[[], Ask]], edits: int) -> tuple[set[str], str, str]:
    """Append words to a title as it was read, with its revision; return the words accepted."""
    taken: set[str] = set()

    def edit(number: int) -> None:
        ask = makers[number % len(makers)]()
        for turn in range(edits):
            word, way = f"w{number}x{turn}", random.Random(turn).choice((0, 1, 2, 3))
            for _ in range(200):
                pair = read_pair(ask, way)
                assert pair is not None
                text, revision = pair
                more: dict[str, Any] = {
                    "lid": 10,
                    "block": 100,
                    "data": {".title": f"{text} {word}"},
                }
                if way == 3:
                    fields = {"TITLE": f"{text.removeprefix('page ')} {word}"}
                    more = {"lid": 10, "fields": fields}
                answer = ask(UPDATE if way == 3 else NODES, {**more, "revision": revision})
                if answer.error is None:
                    taken.add(f"{'page' if way == 3 else 'block'} {word}")
                    break
                assert answer.error == "REVISION_CONFLICT", answer

    with ThreadPoolExecutor(WRITERS) as pool:
        for each in [pool.submit(edit, number) for number in range(WRITERS)]:
            each.result()
    ask = makers[0]()
    block_pair, page_pair = read_pair(ask, 0), read_pair(ask, 3)
    assert block_pair is not None
    assert page_pair is not None
    return taken, block_pair[0], page_pair[0]


def titles_seen(ask: Ask, way: int) -> set[str]:
    """Read the titles of two pages, or of a block of each; `way` selects one of four methods."""
    if way == 0:
        mode = {"edit_mode": True, "get_content": True}
        rows = ask(BLOCK, {"lid": [10, 11], "params": mode}).result
        return {_text(each["content"]) for each in rows if each["id"] in {100, 110}}
    if way == 1:
        params = {"select": ["TITLE"], "filter": {"ID": [10, 11]}}
        return {each["TITLE"] for each in ask(PAGES, {"params": params}).result}
    if way == 2:
        items = ask("landing.site.fullExport", {"id": 7}).result["items"]
        return {items[each]["name"] for each in ("page-10", "page-11")}
    read = [f"{PAGES}?params[filter][ID]={each}" for each in (10, 11)]
    result = ask("batch", {"cmd": read, "atomic": True}).result["result"]
    return {rows[0]["TITLE"] for rows in result}


def race_batches(makers: Sequence[Callable[[], Ask]], batches: int) -> tuple[int, list[Any]]:
    """Change two pages and two blocks in atomic batches; return the number of looks, and looks that
    saw half a batch.
    """
    halves: list[Any] = []
    over, looks = threading.Event(), Counter[str]()

    def write(number: int) -> None:
        ask = makers[number % len(makers)]()
        for turn in range(batches // WRITERS):
            text = f"{number}-{turn}"
            commands = [
                f"{UPDATE}?lid=10&fields[TITLE]={text}",
                f"{NODES}?lid=10&block=100&data[.title]={text}",
                f"{UPDATE}?lid=11&fields[TITLE]={text}",
                f"{NODES}?lid=11&block=110&data[.title]={text}",
            ]
            answer = ask("batch", {"cmd": commands, "atomic": True})
            if answer.error or answer.result["result_error"]:
                halves.append(answer)

    def look(make: Callable[[], Ask]) -> None:
        ask = make()
        while not over.is_set():
            way = looks["all"] % 4
            looks["all"] += 1
            if len(seen := titles_seen(ask, way)) > 1:
                halves.append((way, seen))

    first = [f"{UPDATE}?lid={each}&fields[TITLE]=0" for each in (10, 11)]
    first += [
        f"{NODES}?lid={lid}&block={each}&data[.title]=0" for lid, each in ((10, 100), (11, 110))
    ]
    assert makers[0]()("batch", {"cmd": first, "atomic": True}).error is None
    with ThreadPoolExecutor(WRITERS + 2) as pool:
        looking = [pool.submit(look, make) for make in (makers[0], makers[-1])]
        try:
            for each in [pool.submit(write, number) for number in range(WRITERS)]:
                each.result()
        finally:
            over.set()
        for each in looking:
            each.result()
    return looks["all"], halves


def naming(kind: str, gone: int) -> dict[str, tuple[str, dict[str, Any]]]:
    """Calls that name a page or a site by its id."""
    if kind == "site":
        fields = {"TITLE": "New", "SITE_ID": gone}
        return {
            "page": ("landing.landing.add", {"fields": fields}),
            "folder": ("landing.site.addFolder", {"siteId": gone, "fields": {"TITLE": "New"}}),
            "rights": ("landing.site.setRights", {"id": gone, "rights": {"U2": ["read"]}}),
            "user": ("landyard.right.set", {"user_id": 2, "rights": {str(gone): ["view"]}}),
            "moved": ("landing.landing.move", {"lid": 11, "toSiteId": gone}),
            "special": ("landing.syspage.set", {"id": gone, "type": "cart", "lid": 11}),
            "frame": ("landing.template.setSiteRef", {"id": gone, "data": {"1": 11}}),
        }
    return {
        "main": ("landing.site.update", {"id": 7, "fields": {"LANDING_ID_INDEX": gone}}),
        "404": ("landing.site.update", {"id": 7, "fields": {"LANDING_ID_404": gone}}),
        "503": ("landing.site.update", {"id": 7, "fields": {"LANDING_ID_503": gone}}),
        "index": (
            "landing.site.updateFolder",
            {"siteId": 7, "folderId": 1, "fields": {"INDEX_ID": gone}},
        ),
        "translation": (UPDATE, {"lid": 10, "fields": {"TRANSLATION_OF": gone}}),
        "new translation": (
            "landing.landing.add",
            {"fields": {"TITLE": "New", "SITE_ID": 7, "TRANSLATION_OF": gone}},
        ),
        "area": ("landing.template.setSiteRef", {"id": 7, "data": {"1": gone}}),
        "area of a page": ("landing.template.setLandingRef", {"id": 10, "data": {"1": gone}}),
        "special": ("landing.syspage.set", {"id": 7, "type": "cart", "lid": gone}),
        "redirect": ("landyard.redirect.add", {"siteId": 7, "from": f"/old{gone}", "lid": gone}),
        "draft": ("landyard.draft.share", {"lid": gone}),
        "copy": ("landing.landing.copy", {"lid": gone}),
        "copied block": (
            "landing.landing.copyblock",
            {"lid": gone, "block": 101, "params": {"AFTER_ID": 0}},
        ),
        "published": ("landing.landing.publication", {"lid": gone}),
        "trashed": ("landing.landing.markDelete", {"lid": gone}),
        "moved": ("landing.landing.move", {"lid": gone, "toSiteId": 8}),
        "changed": (UPDATE, {"lid": gone, "fields": {"TITLE": "New", "CODE": "new"}}),
        "menu": (
            "landing.landing.addByTemplate",
            {"siteId": 7, "code": "empty", "fields": {"ID": gone}},
        ),
        "listed": ("landing.block.getlist", {"lid": gone, "params": {"edit_mode": True}}),
        "history": ("landing.landing.history.undo", {"lid": gone}),
        "block": ("landing.landing.addblock", {"lid": gone, "fields": {"CODE": "test.all"}}),
    }


def race_deletes(
    makers: Sequence[Callable[[], Ask]], rounds: int
) -> tuple[Counter[str], list[Any]]:
    """Remove pages and sites beside calls that name them; return how often each code was
    answered.
    """
    chance, asks = random.Random(SEED), [make() for make in (makers[0], makers[-1])]
    came, wrong = Counter[str](), []
    ways = [*[("page", each) for each in naming("page", 0)]]
    ways += [("site", each) for each in naming("site", 0)]
    with ThreadPoolExecutor(2) as pool:
        for number in range(rounds * len(ways)):
            kind, way = ways[number % len(ways)]
            fields = {"TITLE": f"Gone {number}", "CODE": f"gone-{kind}-{number}"}
            method = "landing.landing.add" if kind == "page" else "landing.site.add"
            made = asks[0](method, {"fields": fields | ({"SITE_ID": 7} if kind == "page" else {})})
            assert made.error is None, made
            gone = made.result
            remove: tuple[str, dict[str, Any]] = (
                f"landing.{'landing' if kind == 'page' else 'site'}.delete",
                {"lid" if kind == "page" else "id": gone},
            )
            # undo the creation instead of removing the row
            if kind == "page" and number // len(ways) % 3 == 2:
                remove = ("landyard.call.undo", {"id": made.id})
            ready, pauses = threading.Barrier(2), [chance.uniform(0, 0.004) for _ in asks]

            def call(at: int, request: tuple[str, dict[str, Any]]) -> Reply:
                ready.wait(10)  # noqa: B023 - both are waited for
                time.sleep(pauses[at])  # noqa: B023
                return asks[at](*request)

            both = [
                pool.submit(call, 0, naming(kind, gone)[way]),
                pool.submit(call, 1, remove),
            ]
            for told in (each.result() for each in both):
                came[f"{told.error}"] += 1
                if told.status >= 500 or (told.error and told.error not in REFUSED):
                    wrong.append((way, told))
    return came, wrong

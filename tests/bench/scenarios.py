"""The scenarios: their requests, the peers they are compared with, and the bars."""

import json
from collections.abc import Iterable
from typing import Any

from bench.world import (
    BLOCKS,
    CARD,
    CODE,
    FOLDER,
    LARGE,
    LARGE_BLOCKS,
    MANY,
    PAGE,
    PAGE_PATH,
    SITE,
    SPARE,
    TEMPLATE,
    TITLE,
    USER,
    content,
)
from msgspec import Struct

REST = f"/rest/{USER}/{CODE}"
EDITED = {PAGE: BLOCKS[0], LARGE: LARGE_BLOCKS[0]}
"""The draft block of a page that is edited."""
MARK = "Edit number "
PAGE_MARK = "Page number "
# Times the rate of the twin, of the raw limit, and of the Landyard before.
READ = {"twin": 7.0, "limit": 0.4, "before": 0.85}
WRITE = {"twin": 4.5, "limit": 0.6, "before": 0.85}
NEWER = {"twin": 4.5}  # for methods outside the contract's twelve, whether they read or write


class Scenario(Struct, frozen=True):
    """A request. `bars` give the wanted share of each peer's rate; 0 means that none is wanted.

    `counted` is the text in it that is followed by a number, different in every call. `bodies` and
    `paths` are used in turn where there are several. A visitor with `known` has the page already
    and gets 304. For a `capped` scenario the wanted share of the twin's rate ends at the raw
    limit's rate.
    """

    name: str
    title: str
    path: str
    params: dict[str, Any] | None = None
    bars: dict[str, float] = {}
    counted: str = ""
    bodies: tuple[dict[str, Any], ...] = ()
    paths: tuple[str, ...] = ()
    known: bool = False
    capped: bool = False

    @property
    def page(self) -> int:
        """The page of the request, 0 for none."""
        return int((self.params or {}).get("lid", 0))

    def asks(self, server: str) -> bool:
        """Tell whether a server takes part: Landyard always, and peers with a bar."""
        return server == "landyard" or server in self.bars

    @property
    def body(self) -> bytes:
        """The JSON body; empty where the request is a GET."""
        return b"" if self.params is None else json.dumps(self.params).encode()


def _path(method: str) -> str:
    return f"{REST}/{method}.json"


def _edit(name: str, title: str, page: int) -> Scenario:
    params = {"lid": page, "block": EDITED[page], "data": {TITLE: f"{MARK}0"}}
    return Scenario(name, title, _path("landing.block.updatenodes"), params, WRITE, MARK)


_LIST = _path("landing.block.getlist")
_WHOLE = {"get_content": True}
METHODS = Scenario(
    "methods",
    "methods with all names",
    _path("methods"),
    {"full": True},
    {"twin": 3.0, "limit": 0, "before": 0},
)
GETLIST = Scenario("getlist", "getlist, 1 kB", _LIST, {"lid": PAGE}, READ)
LARGE_LIST = Scenario("getlist10", "getlist, 10 kB", _LIST, {"lid": LARGE}, READ)
CONTENT = Scenario(
    "content", "getlist with content, 1 kB", _LIST, {"lid": PAGE, "params": _WHOLE}, READ
)
LARGE_CONTENT = Scenario(
    "content10",
    "getlist with content, 10 kB",
    _LIST,
    {"lid": LARGE, "params": _WHOLE},
    READ,
)
MANY_LIST = Scenario(
    "getlist1000",
    "getlist of a page of 1,000 blocks",
    _LIST,
    {"lid": MANY},
    {"limit": 0, "twin": 0},
)
UPDATENODES = _edit("updatenodes", "updatenodes, 1 kB", PAGE)
LARGE_EDIT = _edit("updatenodes10", "updatenodes, 10 kB", LARGE)
UPDATEATTRS = Scenario(
    "updateattrs",
    "updateattrs",
    _path("landing.block.updateattrs"),
    {
        "lid": PAGE,
        "block": BLOCKS[1],
        "data": {f"{CARD}@0": {"data-tone": f"{MARK}0"}},
    },
    WRITE,
    MARK,
)
UPDATE = Scenario(
    "update",
    "update",
    _path("landing.landing.update"),
    {"lid": SPARE[0], "fields": {"TITLE": f"{PAGE_MARK}0"}},
    WRITE,
    PAGE_MARK,
)
MOVE = Scenario(
    "move",
    "move",
    _path("landing.landing.move"),
    {},
    WRITE,
    bodies=tuple({"lid": page, "toFolderId": to} for to in (FOLDER, 0) for page in SPARE),
)
MARKDELETE = Scenario(
    "markdelete",
    "markDelete",
    _path("landing.landing.markDelete"),
    {},
    WRITE,
    bodies=tuple({"lid": page, "mark": mark} for mark in (True, False) for page in SPARE),
)
GETPUBLICURL = Scenario(
    "getpublicurl",
    "getpublicurl",
    _path("landing.landing.getpublicurl"),
    {"lid": LARGE},
    READ,
)
SITE_LIST = Scenario(
    "sites",
    "site.getList",
    _path("landing.site.getList"),
    {
        "params": {
            "select": ["ID", "CODE", "TITLE", "ACTIVE", "TYPE", "DELETED", "LANDING_ID_INDEX"],
            "filter": {"TYPE": "PAGE"},
        }
    },
    NEWER,
)
PAGE_LIST = Scenario(
    "landings",
    "landing.getList, 35 pages",
    _path("landing.landing.getList"),
    {
        "params": {
            "select": ["ID", "TITLE", "CODE", "ACTIVE", "SITE_ID", "DATE_MODIFY"],
            "filter": {"SITE_ID": SITE},
            "order": {"ID": "ASC"},
        }
    },
    NEWER,
)
GETCONTENT = Scenario(
    "getcontent",
    "getcontent, 1 kB",
    _path("landing.block.getcontent"),
    {"lid": PAGE, "block": BLOCKS[3], "editMode": 1},
    NEWER,
)
UPDATECONTENT = Scenario(
    "updatecontent",
    "updatecontent, 1 kB",
    _path("landing.block.updatecontent"),
    {
        "lid": PAGE,
        "block": BLOCKS[2],
        "content": content(BLOCKS[2]).replace(f"Block {BLOCKS[2]}", f"{MARK}0"),
    },
    NEWER,
    MARK,
)
PAGE_VIEW = Scenario(
    "page", "public page", PAGE_PATH, bars={"before": 0.65, "files": 4.0, "limit": 0, "nginx": 0}
)
KNOWN_PAGE = Scenario(
    "page304", "public page, 304", PAGE_PATH, bars={"files": 0, "limit": 0}, known=True
)
ADDBYTEMPLATE = Scenario(
    "addbytemplate",
    "addByTemplate",
    _path("landing.landing.addByTemplate"),
    {"siteId": SITE, "code": TEMPLATE, "fields": {"TITLE": f"{PAGE_MARK}0"}},
    WRITE,
    PAGE_MARK,
)
REMOVECARD = Scenario("removecard", "removecard", _path("landing.block.removecard"), None, WRITE)
DELETE = Scenario("delete", "delete", _path("landing.landing.delete"), None, WRITE)
ADDBLOCK = Scenario("addblock", "addblock", _path("landing.landing.addblock"), None, NEWER)
PUBLICATION = Scenario(
    "publication",
    "publication of eleven blocks",
    _path("landing.landing.publication"),
    None,
    NEWER,
)
UPLOADFILE = Scenario(
    "uploadfile",
    "uploadfile, a small picture",
    _path("landing.block.uploadfile"),
    None,
    WRITE,
    capped=True,
)
SIX = (
    METHODS,
    LARGE_LIST,
    CONTENT,
    LARGE_CONTENT,
    LARGE_EDIT,
    PAGE_VIEW,
    KNOWN_PAGE,
)
"""The rows that the report lists first."""
LASTING = (
    *SIX,
    GETLIST,
    UPDATENODES,
    UPDATEATTRS,
    UPDATE,
    MOVE,
    MARKDELETE,
    GETPUBLICURL,
    MANY_LIST,
    SITE_LIST,
    PAGE_LIST,
    GETCONTENT,
    UPDATECONTENT,
)
"""Requests that can be repeated any number of times."""
EDITS = (LARGE_EDIT, UPDATENODES, UPDATECONTENT)
"""Requests whose answers are compared before the contest."""
USED_UP = (ADDBYTEMPLATE, ADDBLOCK, PUBLICATION, REMOVECARD, DELETE, UPLOADFILE)
"""Requests that make or remove their subject; a fixed number is sent, and the time is measured."""
SCENARIOS = (*LASTING, *USED_UP)
READS = (
    METHODS,
    GETLIST,
    LARGE_LIST,
    CONTENT,
    LARGE_CONTENT,
    MANY_LIST,
    GETPUBLICURL,
    SITE_LIST,
    PAGE_LIST,
    GETCONTENT,
)


def blocks_of(page: int, *, draft: bool) -> Scenario:
    """Ask for the blocks of a page, of its draft or of its published version."""
    params = {"edit_mode": draft, "get_content": True}
    return Scenario("blocks", "blocks", _LIST, {"lid": page, "params": params})


def script(scenario: Scenario, headers: dict[str, str]) -> str:
    """Write the Lua script with which wrk sends the scenario and prints its counts as JSON."""
    lines = [f'wrk.headers["{name}"] = {_lua(value)}' for name, value in headers.items()]
    if scenario.body:
        lines += [
            'wrk.method = "POST"',
            'wrk.headers["Content-Type"] = "application/json"',
            f"wrk.body = {_lua(scenario.body.decode())}",
        ]
    if scenario.counted:
        # Every call brings a new text, so that every call has something to write.
        head, _, tail = scenario.body.decode().partition(f"{scenario.counted}0")
        lines += [
            "local number = os.time() % 1000 * 1000000",
            "function request()",
            "  number = number + 1",
            f"  local body = {_lua(head + scenario.counted)} .. number .. {_lua(tail)}",
            "  return wrk.format(nil, nil, nil, body)",
            "end",
        ]
    if scenario.bodies:
        bodies = [json.dumps(each) for each in scenario.bodies]
        lines += _by_turns(bodies, "nil, nil, nil, turns[turn]")
    if scenario.paths:
        lines += _by_turns(scenario.paths, "nil, turns[turn]")
    return "\n".join([*lines, DONE])


def _by_turns(texts: Iterable[str], arguments: str) -> list[str]:
    return [
        f"local turns = {{{', '.join(map(_lua, texts))}}}",
        "local turn = 0",
        "function request()",
        "  turn = turn % #turns + 1",
        f"  return wrk.format({arguments})",
        "end",
    ]


DONE = """
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '\\n{"requests": %d, "microseconds": %d, "mean": %f, "p99": %d, "failed": %d}\\n',
    summary.requests, summary.duration, latency.mean, latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end
"""


def _lua(text: str) -> str:
    return f"[==[{text}]==]"

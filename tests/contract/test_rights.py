"""The rights matrix: every method, called by every caller, on a page in every state (R1 to R7).

All calls go through the wire. `_expected` derives the expected code from the rules. A refused call
leaves the database and the files as they were; an allowed one succeeds.
"""

import base64
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeService
from contract.rules import rows
from contract.worlds import (
    CODE,
    EVERY_RIGHT,
    HTML,
    as_user,
    block,
    everything,
    page,
    site,
    user,
    world,
)
from msgspec import Struct

from landyard.testing import Service

TYPES = ["PAGE", "STORE", "SMN", "KNOWLEDGE", "GROUP", "MAINPAGE"]
OPEN = {"PAGE", "STORE", "SMN"}
HOME, OTHER, NOWHERE = 7, 8, 99  # types of site besides PAGE, and an unknown one
FOLDER = 5
GIF = base64.b64encode(
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,"
    b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
).decode()
DENIED = "ACCESS_DENIED"


class Method(Struct, frozen=True):
    """A call of a method, and what the rules say about it.

    `needs` lists the required rights in the order of their checks, each with the code of its
    refusal. `own` gives the codes of the method's own rules by the kind of page. `scoped`: the
    method has the parameter `scope`. `erases`: an allowed call can be made only once. `further`:
    the method is outside the contract's twelve; its rows are not registered, and only `make soak`
    runs it.
    """

    name: str
    params: dict[str, Any]
    needs: Sequence[tuple[str, str]]
    not_found: str = "LANDING_NOT_EXIST"
    no_access: str = DENIED
    own: dict[str, str] = {}
    in_trash: bool = False
    scoped: bool = True
    erases: bool = False
    further: bool = False
    label: str = ""


def _update(
    label: str, fields: dict[str, Any], *more: str, own: dict[str, str] | None = None
) -> Method:
    return Method(
        "landing.landing.update",
        {"fields": fields},
        [(right, DENIED) for right in ("settings", *more)],
        not_found=DENIED,
        own=own or {},
        in_trash=True,
        scoped=False,
        label=label,
    )


METHODS = [
    Method("landing.block.getlist", {"params": {"edit_mode": True}}, [("view", DENIED)]),
    Method("landing.block.updatenodes", {"data": {".title": "New"}}, [("edit", DENIED)]),
    Method("landing.block.updateattrs", {"data": {".text": {"title": "x"}}}, [("edit", DENIED)]),
    Method("landing.block.removecard", {"selector": ".text@0"}, [("edit", DENIED)]),
    Method(
        "landing.block.uploadfile",
        {"picture": ["a.gif", GIF]},
        [("edit", "BLOCK_NOT_FOUND")],
        not_found="BLOCK_NOT_FOUND",
        no_access="BLOCK_NOT_FOUND",
    ),
    Method(
        "landing.landing.addByTemplate",
        {"code": "empty"},
        [("edit", DENIED)],
        not_found="SITE_ERROR",
        no_access="SITE_ERROR",
        in_trash=True,
    ),
    _update("TITLE", {"TITLE": "New"}),
    _update(
        "DELETED=Y", {"DELETED": "Y"}, "delete", own={"main": "CANT_DELETE_MAIN", "area": DENIED}
    ),
    _update("DELETED=N", {"DELETED": "N"}, "delete"),
    _update("DATE_PUBLIC", {"DATE_PUBLIC": "2026-01-02T03:04:05Z"}, "publish"),
    Method(
        "landing.landing.move",
        {},
        [("delete", "DELETE_ACCESS_DENIED"), ("edit", DENIED)],
    ),
    Method(
        "landing.landing.markDelete",
        {},
        [("delete", DENIED)],
        not_found=DENIED,
        own={"main": "CANT_DELETE_MAIN", "area": "UNABLE_DELETE_INCLUDE"},
        in_trash=True,
    ),
    Method(
        "landing.landing.delete",
        {},
        [("delete", DENIED)],
        own={"locked": "LANDING_IS_LOCK"},
        in_trash=True,
        erases=True,
    ),
    Method("landing.landing.getpublicurl", {}, [("view", DENIED)]),
    Method(
        "landing.landing.publication",
        {},
        [("publish", "LANDING_NOT_EXIST")],
        no_access="LANDING_NOT_EXIST",
        further=True,
    ),
    Method("landing.landing.unpublic", {}, [("publish", DENIED)], further=True),
    Method(
        "landing.landing.markUnDelete",
        {},
        [("delete", DENIED)],
        not_found=DENIED,
        in_trash=True,
        scoped=False,
        further=True,
    ),
    Method("landing.landing.copy", {}, [("edit", DENIED)], further=True),
    Method("landing.landing.getpreview", {}, [], no_access="LANDING_NOT_EXIST", further=True),
    Method("landing.landing.getadditionalfields", {}, [], further=True),
]


class Caller(Struct, frozen=True):
    """A user; `default` are the rights on all sites, `own` those on site 7."""

    name: str
    access: bool = True
    admin: bool = False
    default: list[str] | None = None
    own: list[str] | None = None

    def rights(self, site_id: int) -> set[str]:
        if self.admin:
            return set(EVERY_RIGHT)
        held = self.default if self.own is None or site_id != HOME else self.own
        return {*held, "view"} if held else set()


CALLERS = [
    Caller("admin", admin=True),
    Caller("admin without sites_access", admin=True, access=False),
    Caller("admin with an empty set", admin=True, own=[]),
    Caller("no sites_access, every right", access=False, default=EVERY_RIGHT),
    Caller("no sites_access, no rights", access=False),
    Caller("no rights"),
    Caller("empty default", default=[]),
    *(Caller(f"{right} everywhere", default=[right]) for right in EVERY_RIGHT),
    *(Caller(f"{right} here", own=[right]) for right in EVERY_RIGHT),
    *(
        Caller(f"all but {right}", default=[each for each in EVERY_RIGHT if each != right])
        for right in EVERY_RIGHT
    ),
    Caller("own set takes rights away", default=EVERY_RIGHT, own=["view"]),
    Caller("own set takes all rights away", default=EVERY_RIGHT, own=[]),
    Caller("own set gives rights", default=["view"], own=["edit"]),
]


class State(Struct, frozen=True):
    """A page that a call names. `type` is None for a missing page."""

    name: str
    page: int
    site: int = HOME
    type: str | None = "PAGE"
    trash: bool = False
    scope: str | None = None
    kind: str = ""
    """The kind that the methods' own rules test for: `main`, `area`, `locked`."""


PAGE_OF_TYPE = {kind: 30 + index for index, kind in enumerate(TYPES)}
SITE_OF_TYPE = {kind: 20 + index for index, kind in enumerate(TYPES)}

STATES = [
    State("normal", 10),
    State("in the trash", 11, trash=True),
    State("of another site", 12, site=OTHER),
    State("public", 13),
    State("hidden after publication", 14),
    State("locked", 15, kind="locked"),
    State("site template area", 16, kind="area"),
    State("main page", 17, kind="main"),
    State("in a folder", 18),
    State("index page of a folder", 19),
    State("with a rule", 40),
    State("locked and in the trash", 41, trash=True, kind="locked"),
    State("missing", NOWHERE, type=None),
    *(State(kind, PAGE_OF_TYPE[kind], SITE_OF_TYPE[kind], kind) for kind in TYPES),
    *(
        State(f"{kind} as {scope}", PAGE_OF_TYPE[kind], SITE_OF_TYPE[kind], kind, scope=scope)
        for kind in TYPES
        for scope in (kind, kind.lower(), kind.title(), "PAGE", "GROUP", "nonsense", "")
    ),
]


CARDS = '<div class="text">Another</div>' * 200  # all callers together remove fewer
# Every field that the calls change, so that loading a page again restores it.
AS_IT_WAS = {
    "title": "Old",
    "site": HOME,
    "folder": None,
    "active": False,
    "published": False,
    "deleted": False,
    "deleted_at": None,
    "date_public": None,
}


def _page(page_id: int, **more: Any) -> dict[str, Any]:
    copy = {"published_id": page_id * 10 + 1} if more.get("published") else {}
    drafted = block(page_id * 10, content=HTML + CARDS, **copy)
    return page(page_id, drafted, **{**AS_IT_WAS, **more})


TRASHED = {"deleted": True, "deleted_at": "2026-11-01T00:00:00Z"}
PAGES = {
    each["id"]: each
    for each in (
        _page(10),
        _page(11, **TRASHED),
        _page(12, site=OTHER),
        _page(13, active=True, published=True),
        _page(14, published=True),
        _page(15, locked=True),
        _page(16, area=True),
        _page(17),
        _page(18, folder=FOLDER),
        _page(19, folder=FOLDER),
        _page(40, rule="(item)/([0-9]+)", active=True, published=True),
        _page(41, locked=True, **TRASHED),
        *(_page(PAGE_OF_TYPE[kind], site=SITE_OF_TYPE[kind]) for kind in TYPES),
    )
}
MANIFEST = {
    "code": CODE,
    "content": HTML,
    "manifest": {
        "nodes": {".title": {"type": "text"}},
        "attrs": {".text": [{"attribute": "title"}]},
        "cards": {".text": {"name": "Text"}},
    },
}
HOME_SITE = site(HOME, main_page=17)
TEMPLATES = [{"code": "empty", "type": "PAGE", "title": "Empty", "blocks": []}]
WORLD = world(
    *PAGES.values(),
    sites=[
        site(OTHER),
        *(site(SITE_OF_TYPE[kind], type=kind) for kind in TYPES),
    ],
    folders=[{"id": FOLDER, "site": HOME, "code": "folder", "index_page": 19}],
    templates=TEMPLATES,
    manifests=[MANIFEST],
    users=[
        user(
            2 + number,
            admin=caller.admin,
            sites_access=caller.access,
            rights=({} if caller.default is None else {"*": caller.default})
            | ({} if caller.own is None else {str(HOME): caller.own}),
        )
        for number, caller in enumerate(CALLERS)
    ],
)
WORLD["sites"][0] = HOME_SITE

Row = tuple[Caller, State]


def _expected(method: Method, caller: Caller, state: State) -> str | None:
    if not caller.access and not caller.admin:  # R1: checked before any row is looked up
        return method.no_access
    seen = state.type in OPEN if not state.scope else state.type == state.scope.upper()
    if not method.scoped:
        seen = True  # R5: every type
    if state.type is None or not seen or (state.trash and not method.in_trash):
        return method.not_found  # R2, R5, R6
    rights = caller.rights(state.site)
    if "view" not in rights:
        return method.not_found  # R2
    for right, refusal in method.needs:  # R3, R4, R7
        if right not in rights:
            return refusal
    if method.name.endswith("addByTemplate") and state.type not in OPEN:
        return "WRONG_DATA"  # P12: the template is of the type PAGE
    return method.own.get(state.kind)


def _rows(method: Method, *, scopes: Sequence[Caller], refused: bool) -> list[Row]:
    """The rows that must be refused, or allowed. Rows by type and scope are limited to `scopes`."""
    return [
        (caller, state)
        for caller in CALLERS
        for state in STATES
        if (state.name not in PAGE_OF_TYPE and state.scope is None) or caller in scopes
        if (_expected(method, caller, state) is not None) is refused
    ]


def _sent(method: Method, state: State) -> dict[str, Any]:
    target = {"lid": state.page, "block": state.page * 10}
    if method.name.endswith("addByTemplate"):
        target = {"siteId": state.site if state.type else NOWHERE}
    scope = {} if state.scope is None else {"scope": state.scope}
    return {**target, **method.params, **scope}


def _name(row: Row) -> str:
    return f"{row[0].name} / {row[1].name}"


class Visits:
    """Makes calls one after another; `written` names refused calls that changed something."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.written: list[str] = []

    def answers(self, method: Method, rows: Sequence[Row]) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        with _changes(self.service) as changes:
            for row in rows:
                caller, state = row
                who = as_user(2 + CALLERS.index(caller))
                refusal = self.service.call(method.name, _sent(method, state), **who).error
                found[_name(row)] = refusal
                if not changes():
                    continue
                if refusal is not None:
                    self.written.append(_name(row))
                elif method.erases:
                    self._restore(state)
                    changes()
        return found

    def _restore(self, state: State) -> None:
        """Load the page as the world defines it, and restore its role as a main or index page."""
        places = {"sites": [HOME_SITE], "folders": WORLD["folders"]}
        self.service.load({"pages": [PAGES[state.page]], **places})


@contextmanager
def _changes(service: Service) -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether anything was written since it was last called.

    SQLite counts the commits of other connections, and there are few files. PostgreSQL has no such
    count: the function always says yes, and the final comparison decides.
    """
    if not service.kernel.store.sqlite:
        yield lambda: True
        return
    with closing(sqlite3.connect(service.kernel.settings.data / "landyard.db")) as connection:

        def version() -> Any:
            files = {path: path.stat().st_mtime_ns for path in _folder(service).rglob("*")}
            return connection.execute("PRAGMA data_version").fetchone(), files

        versions = [version()]

        def counted() -> bool:
            versions.append(version())
            return bool(versions[-1] != versions[-2])

        yield counted


def _folder(service: Service) -> Path:
    return service.kernel.settings.data / "files"


def _files(service: Service) -> list[tuple[str, bytes]]:
    files = (path for path in _folder(service).rglob("*") if path.is_file())
    return sorted((str(path), path.read_bytes()) for path in files)


def _everything(service: Service) -> Any:
    return everything(service), _files(service)


def _rules(method: Method) -> list[str]:
    """The rules that the matrix proves for a method, besides R1 to R3, R5 and R6."""
    if method.further:
        return []
    codes = {method.no_access, method.not_found, *(code for _, code in method.needs)}
    codes |= set(method.own.values())
    named = [
        *rows(method.name, " ".join(sorted(codes))),
        *rows(method.name, "scope" * method.scoped),
    ]
    return [
        *named,
        *{"landing.landing.update": ["R4"], "landing.landing.move": ["R7"]}.get(method.name, []),
    ]


# The effect of types and scopes is the same for all callers with a right, and for all without,
# whatever the database. `make soak` runs every caller.
FEW = [each for each in CALLERS if each.name in {"admin", "no rights", "edit everywhere"}]
# On the second database one method stands for all: all read rights the same way.
EXEMPLARY = "landing.landing.markDelete"


def _param(database: str, scopes: Sequence[Caller], method: Method) -> Any:
    marks = [pytest.mark.rule("R1", "R2", "R3", "R5", "R6", *_rules(method))]
    marks += [pytest.mark.postgres] if database == "postgres" else []
    if method.further or scopes is CALLERS or (database == "postgres" and method.name != EXEMPLARY):
        marks += [pytest.mark.soak]
    name = f"{database}-{len(scopes)}-{method.name} {method.label}".strip()
    return pytest.param(database, scopes, method, id=name, marks=marks)


every_method = pytest.mark.parametrize(
    ("database", "scopes", "method"),
    [
        _param(database, scopes, method)
        for database, scopes in (("sqlite", FEW), ("sqlite", CALLERS), ("postgres", []))
        for method in METHODS
    ],
    indirect=["database"],
)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    # Without the audit, which also writes rows for refused calls.
    return make_service(world=WORLD, plugins={"off": ["audit"]})


@every_method
def test_R1_to_R7_a_refused_call_has_the_methods_code_and_writes_nothing(
    service: Service, method: Method, scopes: Sequence[Caller]
) -> None:
    before = _everything(service)
    visits = Visits(service)
    asked = _rows(method, scopes=scopes, refused=True)

    answers = visits.answers(method, asked)

    assert answers == {_name(row): _expected(method, *row) for row in asked}
    assert visits.written == [] or not service.kernel.store.sqlite
    assert _everything(service) == before


@every_method
def test_R1_to_R7_a_caller_with_the_right_is_allowed(
    service: Service, method: Method, scopes: Sequence[Caller]
) -> None:
    asked = _rows(method, scopes=scopes, refused=False)

    answers = Visits(service).answers(method, asked)

    assert answers == {_name(row): None for row in asked}
    assert len(answers) > 50


@pytest.mark.rule("R2")
def test_R2_missing_and_invisible_are_indistinguishable(service: Service) -> None:
    nobody = as_user(2 + [caller.name for caller in CALLERS].index("no rights"))
    states = [
        each for each in STATES if each.name in {"normal", "in the trash", "GROUP", "missing"}
    ]

    for method in METHODS:
        bodies = [service.call(method.name, _sent(method, each), **nobody).body for each in states]

        assert bodies == [bodies[0]] * 4, method


@pytest.mark.rule("landing.block.getlist lid")
def test_4_3_one_invisible_page_fails_the_whole_call(service: Service) -> None:
    here_only = as_user(2 + [caller.name for caller in CALLERS].index("view here"))

    errors = [
        service.call("landing.block.getlist", {"lid": lids}, **here_only).error
        for lids in ([10], [10, 12], [12, 10], [10, PAGE_OF_TYPE["GROUP"]], [10, 11])
    ]

    assert errors == [None, *["LANDING_NOT_EXIST"] * 4]


@pytest.mark.rule("R5", "landing.block.getlist scope")
def test_R5_a_scope_narrows_a_list_of_pages(service: Service) -> None:
    pages = [PAGE_OF_TYPE["PAGE"], PAGE_OF_TYPE["STORE"]]

    errors = [
        service.call("landing.block.getlist", {"lid": pages, **more}).error
        for more in ({}, {"scope": "STORE"}, {"scope": "PAGE"})
    ]

    assert errors == [None, "LANDING_NOT_EXIST", "LANDING_NOT_EXIST"]

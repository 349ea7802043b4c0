"""Who may do what to which page: every method by every caller by every page (R1 to R6).

A new method is a row of `METHODS`; the expectations follow from the rules in `_expected`.
"""

from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import EVERY_RIGHT, as_user, block, everything, page, site, user, world
from msgspec import Struct

TYPES = ["PAGE", "STORE", "SMN", "KNOWLEDGE", "GROUP", "MAINPAGE"]
OPEN = {"PAGE", "STORE", "SMN"}
HOME, OTHER = 7, 8  # sites of type PAGE


class Method(Struct, frozen=True):
    """What the rules say of a method. `scoped`: it has the parameter `scope` (R5)."""

    name: str
    params: dict[str, Any]
    right: str
    not_found: str = "LANDING_NOT_EXIST"
    denied: str = "ACCESS_DENIED"
    no_access: str = "ACCESS_DENIED"
    in_trash: bool = False
    scoped: bool = True


METHODS = [
    Method("landing.block.getlist", {"params": {"edit_mode": True}}, "view"),
    Method("landing.block.updatenodes", {"data": {".title": "New"}}, "edit"),
]


class Caller(Struct, frozen=True):
    """A user; `default` and `own` are the rights on all sites and on site 7."""

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
    """A page, as a call may name it. `type` is None for a page that is missing."""

    name: str
    page: int
    site: int = HOME
    type: str | None = "PAGE"
    trash: bool = False
    scope: str | None = None


PAGE_OF_TYPE = {kind: 30 + index for index, kind in enumerate(TYPES)}
SITE_OF_TYPE = {kind: 20 + index for index, kind in enumerate(TYPES)}

STATES = [
    State("normal", 10),
    State("in the trash", 11, trash=True),
    State("of another site", 12, site=OTHER),
    State("missing", 99, type=None),
    *(State(kind, PAGE_OF_TYPE[kind], SITE_OF_TYPE[kind], kind) for kind in TYPES),
    *(
        State(f"{kind} as {scope}", PAGE_OF_TYPE[kind], SITE_OF_TYPE[kind], kind, scope=scope)
        for kind in TYPES
        for scope in (kind, kind.lower(), kind.title(), "PAGE", "GROUP", "nonsense", "")
    ),
]


def _blocks(page_id: int) -> dict[str, Any]:
    return block(page_id * 10)


WORLD = world(
    page(10, _blocks(10)),
    page(11, _blocks(11), deleted=True),
    page(12, _blocks(12), site=OTHER),
    *(
        page(PAGE_OF_TYPE[kind], _blocks(PAGE_OF_TYPE[kind]), site=SITE_OF_TYPE[kind])
        for kind in TYPES
    ),
    sites=[site(OTHER), *(site(SITE_OF_TYPE[kind], type=kind) for kind in TYPES)],
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


def _expected(method: Method, caller: Caller, state: State) -> str | None:
    if not caller.access and not caller.admin:  # R1: before anything is looked up
        return method.no_access
    seen = state.type in OPEN if state.scope is None else state.type == state.scope.upper()
    if not method.scoped:
        seen = True  # R5: every type
    if state.type is None or not seen or (state.trash and not method.in_trash):
        return method.not_found  # R2, R5, R6
    rights = caller.rights(state.site)
    if "view" not in rights:
        return method.not_found  # R2
    return None if method.right in rights else method.denied  # R3


Row = tuple[Caller, State]


def _rows(method: Method, *, refused: bool) -> list[Row]:
    return [
        (caller, state)
        for caller in CALLERS
        for state in STATES
        if (_expected(method, caller, state) is not None) is refused
    ]


def _ask(service: Any, method: Method, row: Row) -> str | None:
    caller, state = row
    params = {"lid": state.page, "block": state.page * 10, **method.params}
    if state.scope is not None:
        params["scope"] = state.scope
    error = service.call(method.name, params, **as_user(2 + CALLERS.index(caller))).error
    return None if error is None else str(error)


def _name(row: Row) -> str:
    return f"{row[0].name} / {row[1].name}"


@pytest.mark.parametrize("method", METHODS, ids=lambda method: str(method.name))
def test_R1_to_R6_refused_with_the_methods_code_and_nothing_written(
    make_service: MakeService, method: Method
) -> None:
    service = make_service(world=WORLD)
    before = everything(service)

    answers = {_name(row): _ask(service, method, row) for row in _rows(method, refused=True)}

    assert answers == {_name(row): _expected(method, *row) for row in _rows(method, refused=True)}
    assert everything(service) == before


@pytest.mark.parametrize("method", METHODS, ids=lambda method: str(method.name))
def test_R1_to_R6_allowed_with_the_right(make_service: MakeService, method: Method) -> None:
    service = make_service(world=WORLD)

    answers = {_name(row): _ask(service, method, row) for row in _rows(method, refused=False)}

    assert answers == {_name(row): None for row in _rows(method, refused=False)}
    assert len(answers) > 100


def test_R2_missing_and_invisible_are_indistinguishable(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    nobody = as_user(2 + [caller.name for caller in CALLERS].index("no rights"))

    for method in METHODS:
        bodies = [
            service.call(method.name, {"lid": lid, "block": 1, **method.params}, **nobody).body
            for lid in (10, 11, PAGE_OF_TYPE["GROUP"], 99)
        ]
        for body in bodies:
            body.pop("time", None)

        assert bodies == [bodies[0]] * 4


def test_4_3_one_invisible_page_fails_the_whole_call(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    here_only = as_user(2 + [caller.name for caller in CALLERS].index("view here"))

    errors = [
        service.call("landing.block.getlist", {"lid": lids}, **here_only).error
        for lids in ([10], [10, 12], [12, 10], [10, PAGE_OF_TYPE["GROUP"]], [10, 11])
    ]

    assert errors == [None, *["LANDING_NOT_EXIST"] * 4]


def test_R5_a_scope_narrows_a_list_of_pages(make_service: MakeService) -> None:
    service = make_service(world=WORLD)
    pages = [PAGE_OF_TYPE["PAGE"], PAGE_OF_TYPE["STORE"]]

    errors = [
        service.call("landing.block.getlist", {"lid": pages, **more}).error
        for more in ({}, {"scope": "STORE"}, {"scope": "PAGE"})
    ]

    assert errors == [None, "LANDING_NOT_EXIST", "LANDING_NOT_EXIST"]

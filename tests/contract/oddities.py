"""Odd parameter values, and for each method a call that succeeds with every parameter it has."""

import base64
import json
import re
from collections.abc import Callable
from typing import Any

import msgspec
from contract.rules import CODES, PARAMETERS
from contract.worlds import CODE, DRAFT, MANIFEST, PAGE, SITE, block, page, site, world
from corpora import read_data
from msgspec import Raw, Struct

MAIN, MENU, FOLDER, OTHER = 11, 110, 5, 8
GIF = base64.b64encode(
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,"
    b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
).decode()

# Raw JSON texts, because no library would write some of these values.
UNREADABLE = [r'"\ud800"', r'"a\u0000b"', r'{"a\u0000":1}', "[" * 70 + "]" * 70, "NaN", "01"]
# Values that a database may refuse in a column of numbers, dates or text.
STORED = [
    *[str(number) for number in (2**31 - 1, 2**31, 2**63, -(2**63) - 1, 10**40)],
    *['"9999-12-31T23:59:59-12:00"', '"0001-01-01T00:00:00+14:00"', f'"{"9" * 25}"'],
    *[r'"\ud83d\ude80\ud7ff\uffff"', r'"\u0001\u001b\u007f\u0085\r\n"', f'"{"é" * 300}"'],
]
ODD = [
    *STORED,
    *["null", "true", "false", "0", "1", "-1", "-0.0", "12.0", "1.5", "1e308"],
    *['""', '" "', '"0"', '"7"', '"012"', '"12abc"', '"x"', '"Y"', '"off"', '"../x"', '"@"'],
    *['"31.02.2026 00:00:00"', r'"\u202e\u200f\u0645"', f'"{"long " * 20_000}"'],
    *['"\';--<script>&%00%c0"', "[" * 50 + "]" * 50, '{"a":' * 50 + "1" + "}" * 50],
    *["[]", "[[]]", "[null]", '["x","y"]', "[7]", "{}", '{"":""}', '{"0":"x","1":{}}'],
]
SPELLED = {"y", "n", "yes", "no", "on", "off", "true", "false", "1", "0", ""}
INTEGER = re.compile("0|-?[1-9][0-9]*")


def is_integer(value: Any) -> bool:
    """Tell whether C5 reads the value as an integer."""
    if isinstance(value, str):
        return bool(INTEGER.fullmatch(value))
    return not isinstance(value, bool) and (
        isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    )


def is_boolean(value: Any) -> bool:
    """Tell whether C6 reads the value as a boolean, for parameters that refuse other values."""
    if isinstance(value, str):
        return value.lower() in SPELLED
    return isinstance(value, bool | int | float) and value in (0, 1)


# Tells by kind which values a parameter accepts; the method's own rules judge them further.
USABLE: dict[str, Callable[[Any], bool]] = {
    "int": is_integer,
    "ints": lambda value: all(map(is_integer, value if isinstance(value, list) else [value])),
    "bool": is_boolean,
    "text": lambda value: not isinstance(value, list | dict),
    "object": lambda value: isinstance(value, dict) or value == [],
    "any": lambda _: True,
    # an inner part of a value, including null: the method's own rules judge it
    "own": lambda _: True,
}


class Case(Struct, frozen=True):
    """A call that succeeds. `kinds` gives the kind of each parameter by name. `required` gives the
    error code for an unusable value (C9) where the method has no `TYPE_ERROR`.
    """

    method: str
    params: dict[str, Any]
    kinds: dict[str, str]
    required: dict[str, str]

    @property
    def codes(self) -> set[str]:
        return set(CODES[self.method].split())

    def allowed(self, name: str, written: str) -> set[str | None]:
        """The codes that the call may answer for this value of the parameter; None stands for
        success.
        """
        if written in UNREADABLE:
            return {"INVALID_REQUEST"}
        value, kind = json.loads(written), self.kinds[name]
        if kind == "own":
            return {None, *self.codes} - {"MISSING_PARAMS", "SYSTEM_ERROR"}
        if value is None or (name == "lid" and value == []):  # C7
            return {"MISSING_PARAMS" if name in self.required else None}
        if USABLE[kind](value):
            wrong = {"TYPE_ERROR"} if kind in {"int", "ints", "bool"} else set()
            return {None, *self.codes} - {"MISSING_PARAMS", "SYSTEM_ERROR"} - wrong
        if "TYPE_ERROR" in self.codes:
            return {"TYPE_ERROR"}
        return {self.required.get(name)}

    def body(self, name: str = "", written: str = "") -> bytes:
        """The valid call, or the call with one value replaced; `a|b` names the member `b` of
        `a`.
        """
        copy: Any = msgspec.json.decode(msgspec.json.encode(self.params))
        if not name:
            return msgspec.json.encode(copy)
        way, inner = name.split("|"), copy
        for key in way[:-1]:
            inner = inner[int(key) if isinstance(inner, list) else key]
        inner[int(way[-1]) if isinstance(inner, list) else way[-1]] = Raw(written.encode())
        return msgspec.json.encode(copy)


def case(method: str, params: dict[str, Any], required: dict[str, str] | str, **kinds: str) -> Case:
    """Make a case; `kinds` are space-separated parameter names, `a|b` names the member `b` of
    `a`.
    """
    by_name = {name: kind for kind, names in kinds.items() for name in names.split()}
    by_name |= {"scope": "text"} if "scope" in PARAMETERS[method].split() else {}
    if isinstance(required, str):
        required = dict.fromkeys(required.split(), "TYPE_ERROR")
    return Case(method, params, by_name, required)


def _inside(name: str, value: Any) -> list[str]:
    """Name every member of an object or an array, at any depth."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    names = []
    for key, item in inner:
        names.append(f"{name}|{key}")
        names += _inside(names[-1], item) if isinstance(item, dict | list) else []
    return names


BLOCK = {"lid": PAGE, "block": DRAFT}
NODES = read_data(__file__, "NODES", dict[str, Any])
ATTRIBUTES = {".text": {"title": "x"}, ".go": {"href": "/x"}, f"#block{DRAFT}": {"data-x": "1"}}
FIELDS = read_data(__file__, "FIELDS", dict[str, Any])
PREPARED = {CODE: {"ACTION": "changeComponentParams", "PARAMS": {"A": "1"}}}
NEW_PAGE = read_data(__file__, "NEW_PAGE", dict[str, Any])
SEEN_BLOCK = {"lid": "LANDING_NOT_EXIST", "block": "BLOCK_NOT_FOUND"}

CASES = [
    case(
        "landing.block.getlist",
        {"lid": PAGE, "params": dict.fromkeys(["edit_mode", "deleted", "get_content"], False)},
        "lid",
        ints="lid",
        object="params",
        int="start",
        any="params|edit_mode params|deleted params|get_content",
    ),
    case(
        "landing.block.updatenodes",
        {**BLOCK, "data": NODES, "additional": {"appendMenu": False}},
        "lid block data",
        int="lid block",
        object="data additional",
        bool="preventHistory additional|appendMenu",
        own=" ".join(_inside("data", NODES)),
    ),
    case(
        "landing.block.updateattrs",
        {**BLOCK, "data": ATTRIBUTES},
        {**SEEN_BLOCK, "data": "MISSING_PARAMS"},
        int="lid block",
        object="data",
        own=" ".join(_inside("data", ATTRIBUTES)),
    ),
    case(
        "landing.block.removecard",
        {**BLOCK, "selector": ".text@0"},
        {**SEEN_BLOCK, "selector": "CARD_NOT_FOUND"},
        int="lid block",
        text="selector",
        bool="preventHistory",
    ),
    case(
        "landing.block.uploadfile",
        {
            "block": DRAFT,
            "picture": ["a.gif", GIF],
            "params": {"width": 2, "height": 2, "resize_type": 2},
        },
        {"block": "BLOCK_NOT_FOUND", "picture": "FILE_ERROR"},
        int="block params|width params|height params|resize_type",
        any="picture temp",
        own="picture|0 picture|1",
        text="ext",
        object="params",
    ),
    case(
        "landing.landing.addByTemplate",
        {"siteId": SITE, "code": "promo", "fields": NEW_PAGE},
        {"siteId": "SITE_ERROR", "code": "WRONG_DATA"},
        int="siteId fields|ID fields|FOLDER_ID fields|BLOCK_ID",
        text="code fields|TITLE fields|DESCRIPTION fields|SITE_TYPE fields|ADD_IN_MENU"
        " fields|MENU_CODE",
        object="fields fields|PREPARE_BLOCKS_DATA",
        own=" ".join(["fields|PREPARE_BLOCKS", *_inside("fields|PREPARE_BLOCKS_DATA", PREPARED)]),
    ),
    case(
        "landing.landing.update",
        {"lid": PAGE, "fields": FIELDS},
        "lid fields",
        int="lid fields|SITE_ID fields|FOLDER_ID fields|TPL_ID",
        text="fields|TITLE fields|CODE fields|DESCRIPTION fields|XML_ID fields|SITEMAP"
        " fields|FOLDER fields|DELETED fields|DATE_PUBLIC fields|ADDITIONAL_FIELDS|METAOG_TITLE",
        object="fields fields|ADDITIONAL_FIELDS",
    ),
    case(
        "landing.landing.move",
        {"lid": PAGE, "toSiteId": SITE, "toFolderId": FOLDER},
        "lid",
        int="lid toSiteId toFolderId",
    ),
    case("landing.landing.markDelete", {"lid": PAGE, "mark": True}, "lid", int="lid", bool="mark"),
    case("landing.landing.delete", {"lid": PAGE}, "lid", int="lid"),
    case("landing.landing.getpublicurl", {"lid": PAGE}, "lid", int="lid"),
    case("methods", {}, {}, bool="full"),
]
WORLD = world(
    page(PAGE, block(DRAFT, published_id=200), active=True, published=True),
    page(MAIN, block(MENU)),
    sites=[site(OTHER)],
    folders=[{"id": FOLDER, "site": SITE, "code": "folder"}],
    manifests=[{**MANIFEST, "manifest": {**MANIFEST["manifest"], "cards": {".text": {}}}}],
    templates=[{"code": "promo", "type": "PAGE", "title": "Promo", "blocks": [{"code": CODE}]}],
)
WORLD["sites"][0]["main_page"] = MAIN

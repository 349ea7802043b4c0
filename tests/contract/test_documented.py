"""Our answers have the same keys and JSON types as the platform's documented answers.

`documented.json` holds the published parameters, example request, example answer and error codes of
each of the eleven landing methods. The requests are sent as printed.
"""

import base64
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from compatibility import documented_methods, noted_differences
from conftest import MakeService
from contract.worlds import block, page, site, user, webhook, world
from corpora import read_data

from landyard import Kernel, Settings

DOCUMENTED: dict[str, Any] = msgspec.json.decode(
    (Path(__file__).parent / "documented.json").read_bytes()
)["methods"]
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
every_method = pytest.mark.parametrize("name", sorted(DOCUMENTED))

# Deliberate differences, by method; everything else is as documented.
DIFFERENT_PARAMS = {
    # `start` pages the list (contract 4.3); the platform's documentation of this method omits it.
    "landing.block.getlist": {"start"},
}
# Our additions: the revision that a caller read, and the refusal when another call changed it since
# (docs/at-once.md).
REVISION, CONFLICT = "revision", "REVISION_CONFLICT"

DIFFERENT_CODES = {
    # Here a page id that is not sent is a missing parameter, as in every method (C8).
    "landing.landing.copy": {"MISSING_PARAMS"},
}
# Replacements for names in the examples that do not exist here.
NAMED: dict[str, dict[str, Any]] = {
    "landing.block.getcontent": {"block": 28181},
    "landing.block.getmanifest": {"block": 28181},
    "landing.block.changeNodeName": {"data": {".landing-block-node-text@0": "h1"}},
    "landing.block.addcard": {"selector": ".landing-block-card@0"},
    "landing.block.getContentFromRepository": {"code": "test.documented"},
    "landing.block.getmanifestfile": {"code": "test.documented"},
    "landing.landing.addblock": {"fields": {"CODE": "test.documented", "ACTIVE": "Y"}},
    "landing.landing.copyblock": {"params": {"AFTER_ID": 6429}},
    "landing.landing.upblock": {"lid": 627, "block": 11924},
    "landing.landing.downblock": {"lid": 627, "block": 11923},
    "landing.landing.moveblock": {"block": 11923, "params": {"RETURN_CONTENT": "Y"}},
    "landing.landing.unFavoriteBlock": {"blockId": 1},
}
# Calls that must come first: a saved block.
EARLIER = {"landing.landing.unFavoriteBlock": ("landing.landing.favoriteBlock", {"lid": 351})}
# Keys whose values describe the platform's own blocks, or are empty for our blocks (C16).
_OF_BLOCKS = {"css", "js", "manifest"}
OWN = {
    "landing.block.getcontent": _OF_BLOCKS,
    "landing.block.getmanifest": {*("assets", "attrs", "block", "callbacks", "cards", "menu")}
    | {"nodes", "style"},
    "landing.block.getmanifestfile": {"result"},
    "landing.block.getrepository": {"items", "meta"},
    "landing.landing.moveblock": _OF_BLOCKS,
}

# The printed answer does not belong to the printed request, which asks for three more fields.
UNASKED = {"landing.landing.getList": ("get_urls", "get_preview", "check_area")}

HTML = (
    '<section class="landing-block"><h2 class="landing-block-node-text">Old</h2>'
    '<img class="landing-block-node-img" src="/old.png" alt="">'
    '<a class="landing-block-node-link" href="/old">Old</a>'
    '<i class="landing-block-node-icon fa fa-star"></i>'
    '<iframe class="landing-block-node-embed" src="https://film.example/1"></iframe>'
    '<div class="bitrix24forms" data-b24form=""></div>'
    '<div class="landing-block-card">One</div><div class="landing-block-card">Two</div></section>'
)
PREFIX = ".landing-block-node-"
MANIFEST = read_data(__file__, "MANIFEST", dict[str, Any])
PIXEL = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f"
    b"\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d"
    b"\x00\x00\x00\x00IEND\xaeB`\x82"
)
# The pages and blocks that the example requests name.
BLOCKS = {4858: 28181, 351: 6428, 313: 6134, 311: 6058, 2227: 39556, 350: 3501, 349: 3491}
ADDITIONAL = DOCUMENTED["landing.landing.getadditionalfields"]["answer"]["result"]
PAGES = [
    page(
        lid,
        block(number, code="test.documented", content=HTML),
        site=157,
        active=True,
        additional_fields=ADDITIONAL if lid == 349 else {},
    )
    for lid, number in BLOCKS.items()
]
SHOWN = {"published": True, "active": True}
WORLD = world(
    *PAGES,
    page(1688, site=157),
    page(
        627,
        *(block(each, code="test.documented", content=HTML) for each in (11923, 11924)),
        site=157,
    ),
    page(648, site=157),
    page(2055, site=205),
    page(2231, site=1817, folder=96, **(SHOWN | {"code": "sale"})),
    sites=[
        site(157),
        site(205, domain="two.example"),
        *(site(site_id) for site_id in (292, 305, 1817)),
    ],
    folders=[
        {"id": 95, "site": 157, "code": "folder"},
        {"id": 96, "site": 1817, "code": "catalog"},
        {"id": 97, "site": 305, "code": "folder"},
    ],
    templates=[{"code": "krayt.monotovar@KraytPetShop", "type": "PAGE", "title": "Promo"}],
    users=[user(2, sites_access=True, rights={"*": ["view"]}), user(3)],
    manifests=[MANIFEST],
)
# For each method a call that gets the documented failure: changed parameters, and the caller.
FAILING = read_data(__file__, "FAILING", dict[str, tuple[int, dict[str, Any]]])


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    kernel = Kernel(Settings(data=tmp_path_factory.mktemp("documented")))
    yield kernel
    kernel.close()


def request_of(name: str) -> dict[str, Any]:
    sent: dict[str, Any] = DOCUMENTED[name]["request"] | NAMED.get(name, {})
    if name == "landing.block.uploadfile":
        sent["picture"] = ["banner.png", base64.b64encode(PIXEL).decode()]
    if name == "landing.landing.copy":
        sent["toFolderId"] = 97  # the folder of the other examples belongs to the example's site
    if unasked := UNASKED.get(name):
        sent["params"] = {key: each for key, each in sent["params"].items() if key not in unasked}
    return sent


def shape(value: Any, own: Collection[str] = ()) -> Any:
    """The keys and JSON types of a value; a list is described by its first element.

    Values below a key of `own` are ignored.
    """
    match value:
        case dict():
            found = sorted(value.items())
            return {key: "" if key in own else shape(item, own) for key, item in found}
        case list():
            return [shape(item, own) for item in value[:1]]
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
    return type(value).__name__


@every_method
@on_sqlite
def test_the_answer_has_the_documented_keys_and_types(make_service: MakeService, name: str) -> None:
    service = make_service(world=WORLD)
    if name in EARLIER:
        earlier, different = EARLIER[name]
        service.result(earlier, request_of(earlier) | different)

    answer = service.call(name, request_of(name))

    own = OWN.get(name, set())
    assert answer.status == 200
    assert shape(answer.body, own) == shape(DOCUMENTED[name]["answer"], own)


@every_method
@on_sqlite
def test_the_failure_has_the_documented_code_and_keys(make_service: MakeService, name: str) -> None:
    user_id, different = FAILING[name]
    caller = {"user": user_id, "webhook": webhook(user_id)["code"]}

    answer = make_service(world=WORLD).call(name, request_of(name) | different, **caller)

    assert answer.status == 400
    assert answer.error == DOCUMENTED[name]["failure"]["error"]
    assert shape(answer.body) == shape(DOCUMENTED[name]["failure"])


@every_method
def test_the_codes_are_the_documented_ones(kernel: Kernel, name: str) -> None:
    method = kernel.methods.find(name)

    assert method is not None
    codes = {code.partition("[")[0] for code in DOCUMENTED[name]["codes"]}
    different = DIFFERENT_CODES.get(name, set())
    assert {error.code for error in method.errors} - {CONFLICT} == codes | different


def documented_parameters(method: Mapping[str, Any]) -> dict[str, bool]:
    """The documented parameters of a method, each with whether it must be sent."""
    return {
        each["name"]: each["required"]
        for each in method["params"]
        if each["section"] == "Method Parameters"
    }


@every_method
def test_the_parameters_are_the_documented_ones(kernel: Kernel, name: str) -> None:
    method = kernel.methods.find(name)
    assert method is not None
    documented = documented_parameters(DOCUMENTED[name])
    ours = {field.encode_name: field.required for field in msgspec.structs.fields(method.params)}

    different = DIFFERENT_PARAMS.get(name, {REVISION})
    assert {wire: needed for wire, needed in ours.items() if wire not in different} == documented


def test_the_table_of_compatibility_has_every_documented_method(kernel: Kernel) -> None:
    documented = documented_methods()

    assert len(documented) == 103
    assert DOCUMENTED.keys() < documented.keys()
    assert noted_differences(kernel).keys() <= documented.keys()

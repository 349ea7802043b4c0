"""Our answers beside the platform's documented ones: the same keys, the same JSON types.

`documented.json` holds, for each of the eleven landing methods, the published parameters, example
request, example answer and error codes. The requests are sent as they are printed.
"""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from contract.worlds import block, page, site, user, webhook, world
from corpora import read_data

from landyard import Kernel, Settings
from landyard_checks.testing import Service

DOCUMENTED: dict[str, Any] = msgspec.json.decode(
    (Path(__file__).parent / "documented.json").read_bytes()
)["methods"]
every_method = pytest.mark.parametrize("name", sorted(DOCUMENTED))

# Where we knowingly differ, by name; everything else is as documented.
DIFFERENT_PARAMS = {
    # `start` pages the list (contract 4.3); the documentation of this method leaves it out.
    "landing.block.getlist": {"start"},
}

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
WORLD = world(
    *(
        page(lid, block(number, code="test.documented", content=HTML), site=157, active=True)
        for lid, number in BLOCKS.items()
    ),
    sites=[site(157)],
    folders=[{"id": 95, "site": 157, "code": "folder"}],
    templates=[{"code": "krayt.monotovar@KraytPetShop", "type": "PAGE", "title": "Promo"}],
    users=[user(2, sites_access=True, rights={"*": ["view"]})],
    manifests=[MANIFEST],
)
# A call that is answered with the documented failure: what to send differently, and as whom.
FAILING = read_data(__file__, "FAILING", dict[str, tuple[int, dict[str, Any]]])


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    kernel = Kernel(Settings())
    yield kernel
    kernel.close()


def request_of(name: str) -> dict[str, Any]:
    sent = dict(DOCUMENTED[name]["request"])
    if name == "landing.block.uploadfile":
        sent["picture"] = ["banner.png", base64.b64encode(PIXEL).decode()]
    return sent


def shape(value: Any) -> Any:
    """The keys and JSON types of a value; of a list those of its first element."""
    match value:
        case dict():
            return {key: shape(item) for key, item in sorted(value.items())}
        case list():
            return [shape(item) for item in value[:1]]
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
    return type(value).__name__


@every_method
def test_the_answer_has_the_documented_keys_and_types(name: str) -> None:
    with Service(world=WORLD) as service:
        answer = service.call(name, request_of(name))

    assert answer.status == 200
    assert shape(answer.body) == shape(DOCUMENTED[name]["answer"])


@every_method
def test_the_failure_has_the_documented_code_and_keys(name: str) -> None:
    user_id, different = FAILING[name]
    caller = {"user": user_id, "webhook": webhook(user_id)["code"]}
    with Service(world=WORLD) as service:
        answer = service.call(name, request_of(name) | different, **caller)

    assert answer.status == 400
    assert answer.error == DOCUMENTED[name]["failure"]["error"]
    assert shape(answer.body) == shape(DOCUMENTED[name]["failure"])


@every_method
def test_the_codes_are_the_documented_ones(kernel: Kernel, name: str) -> None:
    method = kernel.methods.find(name)

    assert method is not None
    assert {error.code for error in method.errors} == set(DOCUMENTED[name]["codes"])


@every_method
def test_the_parameters_are_the_documented_ones(kernel: Kernel, name: str) -> None:
    method = kernel.methods.find(name)
    assert method is not None
    documented = {
        each["name"]: each["required"]
        for each in DOCUMENTED[name]["params"]
        if each["section"] == "Method Parameters"
    }
    ours = {field.encode_name: field.required for field in msgspec.structs.fields(method.params)}

    different = DIFFERENT_PARAMS.get(name, set())
    assert {wire: needed for wire, needed in ours.items() if wire not in different} == documented

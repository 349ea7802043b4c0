"""`landing.block.updateattrs` stores only inert attributes, whatever is sent (H1, H3)."""

import itertools

import pytest
from conftest import MakeService
from contract.attributes import BLOCK, HTML, attrs_world, edited
from contract.worlds import DRAFT, PAGE, attributes, draft_html, everything, find
from corpora import read_data
from turbohtml import Element

from landyard_html.policy import clean_block

# Neither the database nor the order of calls changes whether a value is inert.
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)

HOSTILE = read_data(__file__, "HOSTILE", list[str])
NAMES = [
    *("href", "src", "srcset", "data-src", "data-source", "data-map", "poster", "cite", "target"),
    *("title", "style", "class", "id", "srcdoc", "sandbox", "allow", "action", "formaction"),
    *("onclick", "ONERROR", "background", "xlink:href", "xmlns", "is", "slot", "rel", "type"),
    *("name", "ping", "download", "itemtype", "http-equiv", "content", "autofocus", "onfocus"),
]
BATCHES = [NAMES[first::4] for first in range(4)]
ADDRESSES = {"href", "src", "srcset", "data-src", "data-source", "poster", "cite", "itemtype"}


def _harm(element: Element, before: dict[str, str | None]) -> list[str]:
    """The attributes of an element that could run code, load from an unsafe place, or must not
    change.
    """
    harm = []
    for name, value in attributes(element).items():
        plain = "".join(each for each in (value or "").lower() if each > " ")
        if name.startswith("on") or name in {"srcdoc", "ping", "formaction", "action", "is"}:
            harm.append(name)
        # A data attribute is no address to a browser, so it may name a picture.
        data = "data:text/" if name.startswith("data-") else "data:"
        bad = ("javascript:", "vbscript:", data)
        if name in ADDRESSES and (
            plain.startswith(bad) or (name == "srcset" and "script:" in plain)
        ):
            harm.append(f"{name}={plain}")
        if name in {"style", "class", "id", "sandbox"} and value != before.get(name):
            harm.append(f"{name}={plain}")
    if element.tag == "iframe" and "own.example" in (element.attr("src") or ""):
        harm.append("a frame of our own")
    return harm


@pytest.mark.rule("H1", "H3", "B12")
def test_H1_hostile_attributes_are_inert(make_service: MakeService) -> None:
    service = make_service(world=attrs_world(), public_base="https://own.example")
    sent = [".node", ".go", ".pic", ".film", ".lazy", ".menu", ".link", "aside", ".style", BLOCK]
    was = {each.tag + str(i): attributes(each) for i, each in enumerate(find(HTML, "*"))}

    harm: dict[str, list[str]] = {}
    for names, value in itertools.product(BATCHES, HOSTILE):
        html = edited(service, {selector: dict.fromkeys(names, value) for selector in sent})
        for i, element in enumerate(find(html, "*")):
            found = _harm(element, dict(was[element.tag + str(i)]))
            if found:
                harm[f"{names}={value}"] = found

    assert harm == {}
    assert clean_block(html) == html
    assert [each.tag for each in find(html, "*")] == [each.tag for each in find(HTML, "*")]


@pytest.mark.rule("H1", "B10")
@pytest.mark.parametrize(
    ("selector", "name", "value", "stored"),
    read_data(__file__, "H1 addresses", list[tuple[str, str, str, str | None]]),
)
def test_H1_addresses_follow_the_rules_of_updatenodes(
    make_service: MakeService, selector: str, name: str, value: str, stored: str | None
) -> None:
    service = make_service(world=attrs_world(), public_base="http://own.example")

    html = edited(service, {selector: {name: value}})

    assert find(html, selector)[0].attr(name) == stored
    other = make_service(world=attrs_world(), public_base="http://own.example")
    other.result(
        "landing.block.updatenodes",
        {"lid": PAGE, "block": DRAFT, "data": {selector: {"attrs": {name: value}}}},
    )
    assert draft_html(other) == html


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    "src", ["https://own.example/x", "//shop.example/", "https://other.example/", "/here", "http:x"]
)
def test_H3_a_refused_frame_is_ignored(make_service: MakeService, src: str) -> None:
    service = make_service(
        world=attrs_world(),
        public_base="https://own.example",
        blocks={"embed_hosts": ["film.example", "own.example", "shop.example"]},
    )
    service.load({"sites": [{"id": 8, "code": "s8", "domain": "shop.example"}]})
    before = everything(service)

    edited(service, {".film": {"src": src}, ".lazy": {"data-src": src}})
    edited(service, {".film": {"SRC": src}, ".lazy": {"Data-Src": src}})

    assert everything(service) == before


@pytest.mark.rule("H2")
def test_H2_an_element_gets_no_more_attributes_than_the_limit(
    make_service: MakeService,
) -> None:
    service = make_service(world=attrs_world())
    many = {f"data-a{number}": "x" for number in range(400)}

    html = edited(service, {".node@0": many})
    html = edited(service, {".node@0": {"data-a0": "changed", "data-b": "x"}})

    element = find(html, ".node")[0]
    assert (len(element.attrs), element.attr("data-a0")) == (256, "changed")
    assert clean_block(html) == html

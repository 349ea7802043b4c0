"""`landing.block.updatenodes` stores only inert HTML, for editors and for visitors (H1, H3)."""

from collections.abc import Iterator
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import DRAFT, PAGE, attributes, draft_html, everything, find, one_page
from corpora import read_data
from turbohtml import Element

from landyard.testing import Service
from landyard_content.pages.publication import publish

METHOD = "landing.block.updatenodes"

# Neither the database nor the order of calls changes whether HTML is inert.
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)

TEXTS = read_data(__file__, "TEXTS", list[str])

VALUES = read_data(__file__, "VALUES", list[dict[str, Any]])

FORBIDDEN = {"script", "object", "embed", "base", "meta", "link", "style", "form", "svg", "math"}
ADDRESSES = {"href", "src", "srcset", "data-src", "data-source", "poster", "action", "formaction"}


def _harm(html: str) -> Iterator[str]:
    """The parts of this HTML that could run code, load data or mislead a visitor."""
    for element in find(html, "*"):
        if element.tag in FORBIDDEN:
            yield f"<{element.tag}>"
        if element.tag == "iframe":
            yield from _frame_harm(element)
        for name, value in attributes(element).items():
            plain = "".join(each for each in (value or "").lower() if each > " ")
            if name.startswith("on") or name in {"srcdoc", "ping", "formaction", "action"}:
                yield name
            if name in ADDRESSES and plain.startswith(("javascript:", "vbscript:", "data:")):
                yield f"{name}={plain}"
            if name == "style" and any(
                word in plain for word in ("script:", "expression", "behavior", "@import", "evil")
            ):
                yield plain


def _frame_harm(frame: Element) -> Iterator[str]:
    sandbox = (frame.attr("sandbox") or "allow-top-navigation").split()
    if "sandbox" not in frame.attrs or any("top-navigation" in word for word in sandbox):
        yield "a frame that can navigate the page"
    if not (frame.attr("src") or "https://").startswith("https://"):
        yield f"a frame of {frame.attr('src')}"


def _public(service: Service) -> str:
    with service.kernel.store.session(writes=True) as session:
        publish(session.connection(), PAGE, service.kernel.now())
    page = service.get("/site-7/page-10/").text
    return page[page.index("<main") : page.index("</main>")]


def _listed(service: Service, mode: dict[str, Any]) -> str:
    params = {"lid": PAGE, "params": {"get_content": True, **mode}}
    (item,) = service.result("landing.block.getlist", params)
    return str(item["content"])


@pytest.mark.usefixtures("database")
def test_H1_the_detector_sees_harm() -> None:
    # A text that passes the policy must not escape these tests as well.
    seen = [list(_harm(text)) for text in TEXTS[:6]]

    assert [bool(harm) for harm in seen] == [True] * 6


@pytest.mark.rule("H1")
def test_H1_hostile_values_are_inert_wherever_they_come_out(make_service: MakeService) -> None:
    service = make_service(world=one_page())

    harm: dict[str, list[str]] = {}
    for data in VALUES:
        service.call(METHOD, {"lid": PAGE, "block": DRAFT, "data": data})
        places = [draft_html(service), _listed(service, {"edit_mode": True})]
        places += [_public(service), _listed(service, {})]
        found = [each for html in places for each in _harm(html)]
        if found:
            harm[str(data)] = found
        # The block is still one element that contains its nodes, whatever is stored.
        assert len(find(places[1], ".block-wrapper > .landing-block .menu-list")) == 1, data

    assert harm == {}


RICH = (
    '<h3 class="a">H</h3><p style="color: red; text-align: center">A <b>b</b> <em>e</em>'
    '<br><a href="https://x.example/?a=1&amp;b=2" target="_blank">l</a></p>'
    '<ul><li>1</li></ul><ol start="2"><li>2</li></ol>'
    '<table><tbody><tr><td colspan="2">t</td></tr></tbody></table>'
    '<img src="/x.png" alt="x" width="10">'
)


@pytest.mark.rule("H1")
def test_H1_rich_text_survives(make_service: MakeService) -> None:
    service = make_service(world=one_page())

    service.result(METHOD, {"lid": PAGE, "block": DRAFT, "data": {".text": RICH}})

    assert find(draft_html(service), ".text")[0].inner_html == RICH


OWN = ["own.example", "shop.example", "OWN.example", "own.example:443", "shop.example."]


@pytest.mark.rule("H3")
@pytest.mark.parametrize("host", OWN)
def test_H3_own_hosts_are_refused(make_service: MakeService, host: str) -> None:
    service = make_service(world=one_page(), public_base="https://own.example:8443")
    service.load({"sites": [{"id": 8, "code": "s8", "domain": "shop.example"}]})
    before = everything(service)

    for node in (".film", ".lazy"):
        data = {node: {"src": f"https://{host}/x"}}
        answer = service.call(METHOD, {"lid": PAGE, "block": DRAFT, "data": data})

        assert answer.error == "TYPE_ERROR"
    assert everything(service) == before


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    ("src", "error"),
    read_data(__file__, "H3 hosts", list[tuple[str, str | None]]),
)
def test_H3_the_setting_embed_hosts_narrows_the_hosts(
    make_service: MakeService, src: str, error: str | None
) -> None:
    hosts = ["film.example", "second.example"]
    service = make_service(world=one_page(), blocks={"embed_hosts": hosts})

    answer = service.call(METHOD, {"lid": PAGE, "block": DRAFT, "data": {".film": {"src": src}}})

    assert answer.error == error


@pytest.mark.rule("H3")
def test_H3_attributes_cannot_bypass_the_rules_for_frames(make_service: MakeService) -> None:
    service = make_service(world=one_page(), blocks={"embed_hosts": ["film.example"]})
    data = {".film": {"attrs": {"src": "https://evil.example/"}}}

    answer = service.call(METHOD, {"lid": PAGE, "block": DRAFT, "data": data})

    assert answer.error == "TYPE_ERROR"

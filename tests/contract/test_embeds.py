"""A frame of a host that the service refuses is stored by no way and shown on no page (H3)."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from conftest import MakeService
from contract.worlds import block, page, world
from kernel.commands import ConsoleOf
from tables import for_each

from landyard.testing import Service
from landyard_sitekit.commands.exchange import import_site

GOOD, BAD = "https://film.example/x", "https://evil.example/y"
FRAMES = "".join(
    f'<iframe {name}="{address}" sandbox=""></iframe>'
    for address in (GOOD, BAD)
    for name in ("src", "data-src")
)
HTML = f'<section class="landing-block"><p class="text">Text</p>{FRAMES}</section>'
WORLD = world(
    page(10, block(100), active=True, published=True),
    manifests=[
        {
            "code": "x.cards",
            "name": "Cards",
            "content": '<section><div class="list"><div class="card">x</div></div></section>',
            "manifest": {
                "nodes": {".card": {"type": "text"}},
                "cards": {
                    ".card": {"presets": {"film": {"html": f'<div class="card">{FRAMES}</div>'}}}
                },
            },
        }
    ],
)
HOSTS: dict[str, Any] = {"blocks": {"embed_hosts": ["Film.example", "second.example:8443"]}}
Way = Callable[[Service], Any]


def _content(service: Service) -> str:
    """The HTML of all drafts, as calls list it."""
    params = {"edit_mode": True, "get_content": True}
    pages = service.result("landing.landing.getList", {"params": {"select": ["ID"]}})
    return "".join(
        each["content"]
        for row in pages
        for each in service.result("landing.block.getlist", {"lid": row["ID"], "params": params})
    )


def _update_content(service: Service) -> None:
    service.result("landing.block.updatecontent", lid=10, block=100, content=HTML)


def _add_block(service: Service) -> None:
    fields = {"CODE": "ly.text", "CONTENT": HTML}
    service.result("landing.landing.addblock", lid=10, fields=fields)


def _add_card(service: Service) -> None:
    added = service.result("landing.landing.addblock", lid=10, fields={"CODE": "x.cards"})
    source = [{"type": "card", "value": 0}, {"type": "preset", "value": "film"}]
    data = {".card": {"source": source}}
    service.result("landing.block.updatecards", lid=10, block=added, data=data)


def _load(service: Service) -> None:
    blocks = [{"id": 101, "code": "ly.text", "content": HTML, "published_content": HTML}]
    service.load({"pages": [{"id": 11, "site": 7, "code": "b", "title": "B", "blocks": blocks}]})


def _load_template(service: Service) -> None:
    blocks = [{"code": "ly.text", "content": HTML}]
    service.load({"templates": [{"code": "t", "title": "T", "blocks": blocks}]})
    service.result("landing.landing.addByTemplate", siteId=7, code="t", fields={"TITLE": "T"})


def _load_manifest(service: Service) -> None:
    kind = {"code": "x.film", "name": "Film", "content": HTML, "manifest": {}}
    service.load({"manifests": [kind]})
    service.result("landing.landing.addblock", lid=10, fields={"CODE": "x.film"})


def _exported(service: Service) -> dict[str, Any]:
    _load(service)
    document: dict[str, Any] = service.result("landing.site.fullExport", {"id": 7})
    return document


def _import(service: Service) -> None:
    written = msgspec.json.encode(_exported(service)).replace(b"film.example", b"evil.example")
    made = CliRunner().invoke(
        import_site, ["-", "--code", "again"], input=written, obj=ConsoleOf(service.kernel)
    )
    assert made.exit_code == 0, made.output


WAYS: list[Way] = [
    *(_update_content, _add_block, _add_card, _load, _load_template, _load_manifest, _import),
]

pytestmark = [
    pytest.mark.rule("H3"),
    pytest.mark.parametrize("database", ["sqlite"], indirect=True),
]


@pytest.mark.parametrize("way", WAYS)
def test_H3_no_way_stores_a_refused_frame(make_service: MakeService, way: Way) -> None:
    service = make_service(world=WORLD, **HOSTS)

    way(service)

    assert "evil.example" not in _content(service)
    if way is not _import:
        assert "film.example" in _content(service)


@pytest.mark.parametrize("own", ["film.example", "shop.example"])
def test_H3_no_way_stores_a_frame_of_the_services_own_host(
    make_service: MakeService, own: str
) -> None:
    service = make_service(world=WORLD, public_base="https://film.example")
    service.load({"sites": [{"id": 8, "code": "s8", "domain": "shop.example"}]})

    content = HTML.replace("film.example", own)
    service.result("landing.block.updatecontent", lid=10, block=100, content=content)

    assert f"//{own}" not in _content(service)
    assert "evil.example" in _content(service)


def test_H3_a_frame_stored_before_its_host_was_refused_is_not_shown(
    make_service: MakeService,
) -> None:
    """An operator may narrow the hosts later, and a site may get a domain."""
    before = make_service(world=WORLD)
    _update_content(before)
    before.result("landing.landing.publication", lid=10)
    shown = before.get("/site-7/page-10/")
    assert ("evil.example" in shown.text, "film.example" in shown.text) == (True, True)
    assert "frame-src https:;" in shown.headers["content-security-policy"]

    after = make_service(**HOSTS)

    shown = after.get("/site-7/page-10/")
    assert ("evil.example" in shown.text, "film.example" in shown.text) == (False, True)
    sources = "frame-src https://film.example https://second.example:8443;"
    assert sources in shown.headers["content-security-policy"]
    link = after.result("landyard.draft.share", lid=10)["url"].partition("/-/")[2]
    sent = after.get(f"/-/{link}")
    draft = after.get(sent.headers["location"], cookie=sent.headers["set-cookie"])
    assert ("evil.example" in draft.text, "film.example" in draft.text) == (False, True)
    assert sources in draft.headers["content-security-policy"]
    again = after.result("landyard.template.preview", code="coming-soon")
    assert "evil.example" not in again


def test_H2_an_edit_leaves_frames_alone_that_it_did_not_bring(make_service: MakeService) -> None:
    before = make_service(world=WORLD)
    _update_content(before)
    after = make_service(**HOSTS)

    changed = _content(after).replace("Text", "More")
    inner = changed.partition(">")[2].rpartition("</div>")[0]
    after.result("landing.block.updatecontent", lid=10, block=100, content=inner)

    assert ("evil.example" in _content(after), "More" in _content(after)) == (True, True)


@for_each(
    "frame",
    [
        f'<iframe src="{BAD}"></iframe>',
        f"<IFRAME SRC='{BAD}'></IFRAME>",
        f"<iframe src={BAD}></iframe>",
        f'<iframe title="a>b" src="{BAD}">text</iframe>',
        '<iframe src="//evil.example/"></iframe>',
        '<iframe src="https://film.example.evil.example/"></iframe>',
        '<iframe src="https&#58;//evil.example/"></iframe>',
        f'<iframe data-src="{BAD}"></iframe>',
        f'<iframe src="{GOOD}" data-src="{BAD}"></iframe>',
        f'<iframe src="{BAD}">',
    ],
)
def test_H3_a_frame_is_refused_however_it_is_written(make_service: MakeService, frame: str) -> None:
    service = make_service(world=WORLD, **HOSTS)

    content = f"<section><p>Text</p>{frame}</section>"
    service.result("landing.block.updatecontent", lid=10, block=100, content=content)

    assert "evil.example" not in _content(service)
    assert "Text" in _content(service)

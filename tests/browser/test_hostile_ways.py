"""Hostile values by every way but nodes, opened by a visitor (H1, H4, U6).

The ways are attributes, fields and additional fields of a page, codes, templates, menus, and names
of uploaded files.
"""

import base64
from collections.abc import Iterable, Mapping
from typing import Any

import httpx
import pytest
from browser.attacks import (
    ADDITIONAL,
    ATTACKS,
    ATTRIBUTES,
    BARE,
    CODES,
    DECLARING,
    FIELDS,
    FILES,
    MADE,
    MANIFESTS,
    MENU,
    SWITCHES,
    Attack,
)
from browser.conftest import Demo
from browser.payloads import alive, framed
from browser.visiting import Visitor
from browser.visits import Raw, Visit
from clients.serving import load
from msgspec import Struct

SITE, HOME, FIRST_PAGE, FIRST_BLOCK = 80, 8000, 8001, 8100
ATTRIBUTED, FIELDED, ADDED, CODED, LISTED, PICTURED = range(FIRST_PAGE, FIRST_PAGE + 6)
MENU_BLOCK, HOME_MENU, PLAYER_BLOCK = 8090, 8091, 8092
BESIDE = 50  # the distance of ids between a block that declares attributes and one that does not
MENU_CODE = ".landing-block-node-menu-list"
PICTURE = ".landing-block-node-img"
PLAYER = "https://player.example/tour"
HIJACKER = {
    PLAYER: Raw("<body onclick=\"top.location='https://evil.example/'\" style='height:100vh'>")
}
# A picture that is also a page of HTML, for browsers that guess types.
GIF = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xfe\x33"
    b"<script>ran(0),alert(0)</script><svg onload=ran(0)>\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00"
    b"\x02\x02D\x01\x00;"
)
CARELESS = {it.number: f"<!doctype html>{it.careless}" for it in ATTACKS}


class Attacked(Struct, frozen=True):
    """The paths of the attacked pages, by name, and the paths of the uploaded files."""

    paths: Mapping[str, str]
    files: Mapping[int, str]


@pytest.fixture(scope="session")
def attacked(demo: Demo) -> Attacked:
    """Pages with everything sent and published; every call succeeded."""
    load(demo.data, _world())
    _attack_attributes(demo)
    _ask(demo, "landing.landing.update", lid=FIELDED, fields=_fields(FIELDS))
    extra = {**_fields(ADDITIONAL), **SWITCHES}
    _ask(demo, "landing.landing.update", lid=ADDED, fields={"ADDITIONAL_FIELDS": extra})
    _ask(demo, "landing.landing.update", lid=CODED, fields={"CODE": CODES[0].value})
    items = [it.value for it in MENU]
    _ask(
        demo,
        "landing.block.updatenodes",
        lid=LISTED,
        block=MENU_BLOCK,
        data={MENU_CODE: items},
    )
    made = [_make(demo, BLOCK_ID=MENU_BLOCK, MENU_CODE=MENU_CODE), _make(demo, ADD_IN_MENU="Y")]
    files = {it.number: _upload(demo, block, it) for block, it in _blocks(PICTURED, FILES)}
    demo.publish(HOME, ATTRIBUTED, FIELDED, ADDED, CODED, LISTED, PICTURED)
    pages = {
        "home": HOME,
        "attributes": ATTRIBUTED,
        "fields": FIELDED,
        "additional": ADDED,
        "code": CODED,
        "menu": LISTED,
        "pictures": PICTURED,
        "made": made[0],
        "made again": made[1],
    }
    paths = {name: _path(demo, page) for name, page in pages.items()}
    lost = "/ways/%22%3E%3Cimg%20src=x%20onerror=ran(0)%3E%3Cscript%3Eran(0)%3C%2Fscript%3E/"
    return Attacked({**paths, "lost": lost}, files)


PAGES = [
    *("home", "attributes", "fields", "additional", "code", "menu", "pictures", "made"),
    *("made again", "lost"),
]


@pytest.fixture(scope="session")
def visits(visitor: Visitor, attacked: Attacked) -> dict[str, Visit]:
    """The pages, provoked while their policy stops nothing: the HTML must be safe by itself."""
    return {
        name: visitor.visit(path, provoke=True, loosely=True, schemes=["light"])
        for name, path in attacked.paths.items()
    }


@pytest.mark.soak
def test_H1_attacks_run_where_they_are_not_cleaned(visitor: Visitor) -> None:
    """Proves that the next test can fail."""
    careless = visitor.visit("/careless", provoke=True, raw=framed(CARELESS))

    assert [it.name for it in ATTACKS if it.number not in alive(careless)] == []


@pytest.mark.rule("H1")
def test_H1_attacks_are_inert_without_the_policy(visits: Mapping[str, Visit]) -> None:
    living = {name: alive(visit) for name, visit in visits.items()}

    assert {name: [it.name for it in ATTACKS if it.number in living[name]] for name in PAGES} == {
        name: [] for name in PAGES
    }


@pytest.mark.rule("H1")
@pytest.mark.parametrize("name", PAGES)
def test_H1_nothing_happens_to_a_visitor(
    demo: Demo, attacked: Attacked, visits: Mapping[str, Visit], name: str
) -> None:
    visit = visits[name]

    assert (visit.ran, visit.dialogs) == ([], [])
    assert visit.went == [demo.base + attacked.paths[name]]
    assert {address for address in visit.foreign if not address.startswith(PLAYER)} == set()


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("fields", FIELDS[0].value),
        ("additional", ADDITIONAL[0].value),
        ("made", MADE[0].value),
        ("home", MADE[0].value),
        ("menu", MADE[0].value),
        ("menu", MENU[0].value["text"]),
    ],
)
def test_H1_the_sent_text_is_shown_as_text(
    visits: Mapping[str, Visit], name: str, text: str
) -> None:
    """It is in the title, or in the menu."""
    page = visits[name].measured["light"]

    assert text in {page.title, *page.text.splitlines()}


@pytest.mark.rule("H4")
@pytest.mark.parametrize("name", PAGES)
def test_H4_the_policy_has_nothing_to_stop(visits: Mapping[str, Visit], name: str) -> None:
    visit = visits[name]

    assert visit.violations == []
    assert visit.failed == ([f"404 {visit.went[0]}"] if name == "lost" else _missing(visit))


@pytest.mark.rule("H3")
def test_H3_attributes_do_not_open_a_frames_sandbox(
    demo: Demo, visitor: Visitor, attacked: Attacked
) -> None:
    path = attacked.paths["attributes"]

    visit = visitor.visit(path, click=f"iframe[src='{PLAYER}']", raw=HIJACKER, without_policy=True)

    assert visit.went == [demo.base + path]


@pytest.mark.rule("U6")
def test_U6_a_hostile_name_shows_its_picture(visits: Mapping[str, Visit]) -> None:
    page = visits["pictures"].measured["light"]

    assert (page.pictures, page.broken) == (len(FILES), [])


@pytest.mark.rule("H4")
def test_H4_a_picture_that_is_HTML_too_is_a_picture(
    demo: Demo, visitor: Visitor, attacked: Attacked
) -> None:
    """Each is opened as a document of its own, in a frame."""
    frames = "".join(f'<iframe src="{path}"></iframe>' for path in attacked.files.values())
    raw = {"/frames": Raw(frames)}

    visit = visitor.visit("/frames", provoke=True, without_policy=True, raw=raw, framing=True)

    assert (visit.ran, visit.dialogs, visit.foreign, visit.failed) == ([], [], [], [])
    assert visit.went == [f"{demo.base}/frames"]
    for path in attacked.files.values():
        headers = httpx.get(demo.base + path).headers
        told = headers["Content-Type"], headers["X-Content-Type-Options"]
        assert told == ("image/gif", "nosniff")


def _missing(visit: Visit) -> list[str]:
    """Pictures of this service that an attack requests."""
    return [each for each in visit.failed if "/assets/none" in each]


def _world() -> dict[str, Any]:
    def page(page_id: int, code: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"id": page_id, "site": SITE, "code": code, "blocks": [*blocks], **more}

    player = {"id": PLAYER_BLOCK, "code": "ly.embed"}
    attributed = [
        {"id": first + more, "code": code}
        for first, _ in _blocks(ATTRIBUTED, ATTRIBUTES)
        for more, code in ((0, DECLARING), (BESIDE, BARE))
    ]
    pictures = [{"id": block, "code": "ly.text_picture"} for block, _ in _blocks(PICTURED, FILES)]
    template = {
        "code": "hostile",
        "title": "Hostile",
        "fields": {"TITLE": "Hostile", "CODE": CODES[1].value},
        "blocks": [{"code": "ly.text"}],
    }
    shown = {"active": True, "published": True}
    return {
        "manifests": MANIFESTS,
        "templates": [template],
        "sites": [{"id": SITE, "code": "ways", "title": "Ways", "main_page": HOME}],
        "pages": [
            page(HOME, "home", {"id": HOME_MENU, "code": "ly.menu"}, **shown),
            page(ATTRIBUTED, "attributes", player, *attributed),
            page(FIELDED, "fields"),
            page(ADDED, "additional"),
            page(CODED, "code"),
            page(LISTED, "menu", {"id": MENU_BLOCK, "code": "ly.menu"}),
            page(PICTURED, "pictures", *pictures),
        ],
    }


def _blocks(page: int, attacks: Iterable[Attack]) -> list[tuple[int, Attack]]:
    """The block that each attack is sent to."""
    first = FIRST_BLOCK + (page - FIRST_PAGE) * 100
    return list(enumerate(attacks, first))


def _fields(attacks: Iterable[Attack]) -> dict[str, Any]:
    return {it.key: it.value for it in attacks}


def _attack_attributes(demo: Demo) -> None:
    for block, it in _blocks(ATTRIBUTED, ATTRIBUTES):
        for target in (block, block + BESIDE):
            data = {it.key: it.value, f"#block{target}": it.value}
            _ask(demo, "landing.block.updateattrs", lid=ATTRIBUTED, block=target, data=data)
    player = {"lid": ATTRIBUTED, "block": PLAYER_BLOCK}
    frame = ".landing-block-node-embed"
    _ask(demo, "landing.block.updatenodes", **player, data={frame: {"src": PLAYER}})
    loose = {"sandbox": "allow-scripts allow-top-navigation", "allow": "*", "title": "x"}
    _ask(demo, "landing.block.updateattrs", **player, data={frame: loose})


def _make(demo: Demo, **fields: Any) -> int:
    """Make a page from the hostile template, published beside the main page."""
    sent = {**_fields(MADE), "ID": HOME, **fields}
    made = _ask(demo, "landing.landing.addByTemplate", siteId=SITE, code="hostile", fields=sent)
    assert isinstance(made, int)
    return made


def _upload(demo: Demo, block: int, attack: Attack) -> str:
    """Upload a picture under a hostile name and show it in the block; return its path."""
    picture = [attack.value, base64.b64encode(GIF).decode()]
    file = _ask(demo, "landing.block.uploadfile", block=block, picture=picture)
    data = {PICTURE: {"src": file["src"], "alt": attack.value}}
    _ask(demo, "landing.block.updatenodes", lid=PICTURED, block=block, data=data)
    return str(file["src"])


def _path(demo: Demo, page: int) -> str:
    url = _ask(demo, "landing.landing.getpublicurl", lid=page)
    return str(httpx.URL(url).raw_path, "ascii")


def _ask(demo: Demo, method: str, **params: Any) -> Any:
    answer = demo.call(method, **params)
    assert "result" in answer, (method, params, answer)
    return answer["result"]

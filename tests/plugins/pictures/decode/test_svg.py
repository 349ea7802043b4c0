"""SVG pictures, where an operator allows them, are made safe first (U1)."""

import base64
import time
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from conftest import MakeService
from contract.pictures import METHOD, drawn, encoded, files, served, upload
from contract.rules import rows
from contract.worlds import one_page
from corpora import read_data

from landyard.testing import Service
from landyard_pictures.decode.kinds import Unusable
from landyard_pictures.decode.svg import looks_like_svg, safe_svg

SVG = "{http://www.w3.org/2000/svg}"
OPEN = b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'

RICH = b"""<?xml version="1.0" encoding="UTF-8"?>
<!-- drawn by hand -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
     viewBox="0 0 100 50" width="100" height="50" preserveAspectRatio="xMidYMid">
  <title>A &amp; B&#160;C</title>
  <defs>
    <linearGradient id="sky" gradientTransform="rotate(90)">
      <stop offset="0" stop-color="#0af"/><stop offset="1" stop-color="white"/>
    </linearGradient>
    <clipPath id="round"><circle cx="50" cy="25" r="25"/></clipPath>
    <symbol id="boat" viewBox="0 0 10 10"><path d="M0 0 L10 10 Z"/></symbol>
  </defs>
  <rect width="100" height="50" fill="url(#sky)" clip-path="url(#round)"/>
  <use xlink:href="#boat" x="10"/><use href="#boat" x="20"/>
  <text x="5" y="5" text-anchor="middle" font-size="4">Hi</text>
</svg>
"""

HOSTILE = {
    name: text.replace("<svg>", OPEN.decode()).encode()
    for name, text in read_data(__file__, "HOSTILE", dict[str, str]).items()
}


@pytest.fixture
def database(sqlite_database: dict[str, Any]) -> dict[str, Any]:
    """One kind of database, because pictures do not depend on it."""
    return sqlite_database


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=one_page(), uploads={"allow_svg": True})


@pytest.mark.rule("U1", *rows(METHOD, "FILE_ERROR"))
@pytest.mark.parametrize("content", [RICH, OPEN + b"</svg>", b"<svg/>", b"\xef\xbb\xbf <svg>"])
def test_U1_svg_is_off_by_default(make_service: MakeService, content: bytes) -> None:
    service = make_service(world=one_page())

    answer = upload(service, content, "a.svg")

    assert answer.error == "FILE_ERROR"
    assert "SVG" in answer.body["error_description"]
    assert files(service) == {}


@pytest.mark.rule("U1")
def test_U1_harmless_svg_survives(service: Service) -> None:
    answer = upload(service, RICH, "a.png", params={"width": 5, "height": 5})

    assert answer.result["src"].endswith("/a.svg")
    root = ET.fromstring(served(service, answer))
    assert root.tag == f"{SVG}svg"
    assert root.get("viewBox") == "0 0 100 50"
    names = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert {"title", "linearGradient", "stop", "clipPath", "symbol", "use", "text"} <= names
    assert [use.get("href") for use in root.iter(f"{SVG}use")] == ["#boat", "#boat"]
    (rect,) = root.iter(f"{SVG}rect")
    assert (rect.get("fill"), rect.get("clip-path")) == ("url(#sky)", "url(#round)")
    assert root.findtext(f"{SVG}title") == "A & B\u00a0C"


STYLED = read_data(__file__, "STYLED", list[tuple[str, dict[str, str]]])


@pytest.mark.rule("U1")
@pytest.mark.parametrize(("written", "kept"), STYLED)
def test_U1_styles_become_attributes_and_addresses_stay_inside_the_picture(
    written: str, kept: dict[str, str]
) -> None:
    safe = safe_svg(OPEN + f"<rect {written}/></svg>".encode())

    assert ET.fromstring(safe)[0].attrib == kept


@pytest.mark.rule("U1")
def test_U1_text_is_kept() -> None:
    safe = safe_svg(OPEN + b"<title>&lt;path/> &amp;lt; <![CDATA[</title><g/>]]></title></svg>")

    root = ET.fromstring(safe)
    assert [element.tag for element in root.iter()] == [f"{SVG}svg", f"{SVG}title"]
    assert root.findtext(f"{SVG}title") == "<path/> &lt; </title><g/>"


@pytest.mark.rule("U1")
@pytest.mark.parametrize(
    ("sheet", "kept"), read_data(__file__, "SHEETS", list[tuple[str, dict[str, str]]])
)
def test_U1_a_style_sheet_becomes_attributes_and_loads_nothing(
    sheet: str, kept: dict[str, str]
) -> None:
    shape = '<path id="p" class="a b" fill="black"/>'
    safe = safe_svg(OPEN + f"{shape}<defs><style>{sheet}</style></defs></svg>".encode())

    expected = {"id": "p", "class": "a b", "fill": "black"}
    assert ET.fromstring(safe)[0].attrib == expected | kept
    assert b"<style" not in safe


@pytest.mark.rule("U1")
@pytest.mark.parametrize("kind", HOSTILE)
def test_U1_hostile_svg_is_made_safe(service: Service, kind: str) -> None:
    answer = upload(service, HOSTILE[kind], "a.svg")

    if answer.error is not None:
        assert answer.error == "FILE_ERROR"
        return
    root = ET.fromstring(served(service, answer))
    for element in root.iter():
        name = element.tag.removeprefix(SVG)
        assert name in {"svg", "path", "rect", "use", "text", "title", "g"}
        for attribute, value in element.attrib.items():
            assert not attribute.startswith("on")
            assert attribute != "style"
            assert "example" not in value
            assert "script:" not in value
            assert "data:" not in value


@pytest.mark.rule("U1", *rows(METHOD, "FILE_ERROR"))
@pytest.mark.parametrize(
    "content",
    [
        b"<svg",
        b"<svgx></svgx>",
        OPEN + b"\xff\xfe</svg>",
        OPEN + b"<title>\x01</title></svg>",
        "<svg></svg>".encode("utf-16"),
        b"<html><svg></svg></html>",
        b"text <svg></svg>",
    ],
)
def test_a_file_that_is_no_svg_is_refused(service: Service, content: bytes) -> None:
    assert upload(service, content, "a.svg").error == "FILE_ERROR"


def nested(depth: int) -> bytes:
    return OPEN + b"<g>" * (depth - 1) + b"</g>" * (depth - 1) + b"</svg>"


def doubling(levels: int) -> bytes:
    """Each level draws the level below twice."""
    rows = [
        f'<g id="a{at}"><use href="#a{at + 1}"/><use href="#a{at + 1}"/></g>'
        for at in range(levels)
    ]
    return OPEN + "".join(rows).encode() + f'<g id="a{levels}"/></svg>'.encode()


def painted(levels: int) -> bytes:
    """Each pattern is painted with the one below, twice."""
    rows = [
        f'<pattern id="a{at}"><g fill="url(#a{at + 1})"/><g fill="url(#a{at + 1})"/></pattern>'
        for at in range(levels)
    ]
    return OPEN + "".join(rows).encode() + b"</svg>"


def inherited(levels: int) -> bytes:
    """Each pattern has forty shapes that inherit the pattern below from their group."""
    rows = [
        f'<pattern id="a{at}"><g fill="url(#a{at + 1})">{"<rect/>" * 40}</g></pattern>'
        for at in range(levels)
    ]
    return OPEN + "".join(rows).encode() + b'<g fill="url(#a0)"/></svg>'


def styled(levels: int) -> bytes:
    """The same through styles, and with a `use` between a group and its shapes."""
    rows = [
        f'<g id="b{at}">{"<rect/>" * 40}</g>'
        f"""<pattern id="a{at}"><use style="stroke:url('#a{at + 1}')" href="#b{at}"/></pattern>"""
        for at in range(levels)
    ]
    return OPEN + "".join(rows).encode() + b"</svg>"


ENTITIES = b"".join(
    b'<!ENTITY e%d "%s">' % (at, b"&e%d;" % (at - 1) * 10 if at else b"lol") for at in range(10)
)
LARGE = {
    "a byte too long": OPEN + b" " * (1024 * 1024 - len(OPEN) - 5) + b"</svg>",
    "an element too deep": nested(65),
    "very deep": nested(100_000),
    "deep and not closed": OPEN + b"<g>" * 300_000,
    "an element too many": OPEN + b"<g/>" * 20_000 + b"</svg>",
    "too many attributes": OPEN
    + b"<g "
    + b"".join(b'a%d="" ' % at for at in range(257))
    + b"/></svg>",
    "entities of entities": b"<!DOCTYPE svg [" + ENTITIES + b"]>" + OPEN + b"&e9;</svg>",
    "an entity from a file": b'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    + OPEN
    + b"<title>&x;</title></svg>",
    "an entity of the document type": b'<!DOCTYPE svg [<!ENTITY % p SYSTEM "http://x.example/">%p;]>'
    + OPEN
    + b"</svg>",
    "drawn a million times": doubling(20),
    "painted a million times": painted(20),
    "painted through groups": inherited(4),
    "painted by styles": styled(4),
    "painted with itself": OPEN + b'<pattern id="a"><g fill="url(#a)"/></pattern></svg>',
    "drawn without end": doubling(3000),
    "drawn inside itself": OPEN + b'<g id="a"><use href="#a"/></g></svg>',
    "drawn inside each other": OPEN
    + b'<g id="a"><use href="#b"/></g><g id="b"><use xlink:href="#a"/></g></svg>',
    "too many rules": b"%b<style>%b</style></svg>"
    % (OPEN, b"".join(b".a%d{fill:red}" % at for at in range(4097))),
    "rules about everything": b"%b<style>*{font-family:%b}</style>%b</svg>"
    % (OPEN, b"a" * 1000, b"<g/>" * 10_000),
    "comments before it": b"<!---->" * 200_000 + OPEN + b"</svg>",
}


@pytest.mark.rule("U1", *rows(METHOD, "FILE_ERROR"))
@pytest.mark.parametrize("kind", LARGE)
def test_U1_an_excessive_svg_is_refused(service: Service, kind: str) -> None:
    answer = upload(service, LARGE[kind], "a.svg")

    assert answer.error == "FILE_ERROR"
    # neither the time nor the memory of the decoder ran out
    assert "decode" not in answer.body["error_description"]
    assert files(service) == {}


TAKEN = {
    "deep": nested(64),
    "many": OPEN + b"<g/>" * 19_999 + b"</svg>",
    "long": OPEN + b" " * (1024 * 1024 - len(OPEN) - 6) + b"</svg>",
    "repeated": doubling(12),
    "painted": inherited(3),
    "many painted": b'%b<linearGradient id="a"/><g fill="url(#a)">%b</g></svg>'
    % (OPEN, b"<path/>" * 15_000),
    "nowhere": OPEN + b'<use href="#"/><use href="#nowhere"/></svg>',
    "rules without end": OPEN + b"<style>" + b"@{{a:" * 200_000 + b"</style></svg>",
    "declared otherwise": b'<?xml version="1.0" encoding="UTF-16"?>' + OPEN + b"</svg>",
}


@pytest.mark.rule("U1")
@pytest.mark.parametrize("kind", TAKEN)
def test_U1_svg_up_to_its_limits_is_accepted(service: Service, kind: str) -> None:
    assert upload(service, TAKEN[kind], "a.svg").error is None


@pytest.mark.rule("H4", "U1")
def test_H4_svg_is_served_under_a_policy_without_scripts(service: Service) -> None:
    got = service.get(upload(service, RICH, "a.svg").result["src"])

    assert got.headers["content-type"].startswith("image/svg+xml")
    assert got.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in got.headers["content-security-policy"]
    assert "sandbox" in got.headers["content-security-policy"]
    assert "allow-scripts" not in got.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("content", "meant"),
    read_data(__file__, "what is meant to be SVG", list[tuple[str, bool]]),
)
def test_files_meant_as_svg_are_recognised(content: str, meant: bool) -> None:
    assert looks_like_svg(content.encode("latin-1")) == meant


@pytest.mark.parametrize(
    "again", [b"<!-- -->", b"<!---->", b"<?xml?>", b"<!DOCTYPE a []>", b"<!--"]
)
def test_recognising_svg_takes_linear_time(again: bytes) -> None:
    content = again * (4 * 1024 * 1024 // len(again))
    began = time.process_time()

    assert not looks_like_svg(content)

    assert time.process_time() - began < 10


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_safe_svg_is_unchanged_when_it_is_cleaned_again(kind: str) -> None:
    try:
        once = safe_svg(HOSTILE[kind])
    except Unusable:
        return

    assert safe_svg(once) == once


def _with_picture(content: bytes, media: str = "image/png", name: str = "href") -> bytes:
    data = base64.encodebytes(content).decode()
    return (
        OPEN + f'<image {name}="data:{media};base64,{data}" width="9" height="9"/></svg>'.encode()
    )


@pytest.mark.rule("U1")
@pytest.mark.parametrize("name", ["href", "xlink:href"])
@pytest.mark.parametrize(
    ("kind", "media"),
    [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("JPEG", "image/jpg"), ("WEBP", "image/webp")],
)
def test_U1_a_picture_inside_is_kept(service: Service, kind: str, media: str, name: str) -> None:
    content = encoded(drawn(), kind)

    kept = served(service, upload(service, _with_picture(content, media, name), "logo.svg"))

    (image,) = ET.fromstring(kept).iter(f"{SVG}image")
    assert image.attrib == {
        "href": f"data:{media};base64,{base64.b64encode(content).decode()}",
        "width": "9",
        "height": "9",
    }


@pytest.mark.rule("U1", *rows(METHOD, "FILE_ERROR"))
@pytest.mark.parametrize(
    ("content", "media"),
    [
        (RICH, "image/svg+xml"),
        (b"no picture", "image/png"),
        (encoded(drawn(), "TIFF"), "image/png"),
        (encoded(drawn())[:-40], "image/png"),
    ],
)
def test_U1_an_unsafe_picture_inside_is_reported(
    service: Service, content: bytes, media: str
) -> None:
    assert upload(service, _with_picture(content, media), "logo.svg").error == "FILE_ERROR"

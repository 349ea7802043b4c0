"""SVG, where an operator allows it: it is made safe first (U1)."""

import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from conftest import MakeService
from contract.pictures import METHOD, files, served, upload
from contract.rules import rows
from contract.worlds import one_page

from landyard.testing import Service

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
    "script": OPEN + b"<script>alert(1)</script><path d='M0 0'/></svg>",
    "script from elsewhere": OPEN + b'<script xlink:href="https://x.example/a.js"/></svg>',
    "handler": OPEN[:-1] + b' onload="alert(1)"><rect onclick="alert(1)" width="1"/></svg>',
    "link": OPEN + b'<a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
    "foreign": OPEN + b"<foreignObject><iframe srcdoc='x'></iframe></foreignObject></svg>",
    "style": OPEN + b"<style>@import url(https://x.example)</style></svg>",
    "style attribute": OPEN + b'<rect style="fill:url(https://x.example)" width="1"/></svg>',
    "address in paint": OPEN + b'<rect fill="url(https://x.example/a)" width="1"/></svg>',
    "hidden address": OPEN + b'<rect fill="u\\72l(https://x.example/a)" width="1"/></svg>',
    "use from elsewhere": OPEN + b'<use xlink:href="https://x.example/a.svg#b"/></svg>',
    "use of data": OPEN + b'<use href="data:image/svg+xml;base64,PHN2Zy8+#x"/></svg>',
    "image": OPEN + b'<image href="https://x.example/a.png" width="1"/></svg>',
    "animation": OPEN + b'<animate attributeName="href" values="javascript:alert(1)"/></svg>',
    "set": OPEN + b'<a><set attributeName="href" to="javascript:alert(1)"/></a></svg>',
    "handler element": OPEN + b'<handler type="text/ecmascript">alert(1)</handler></svg>',
    "entities": b'<!DOCTYPE svg [<!ENTITY x "<script>alert(1)</script>">]>' + OPEN + b"&x;</svg>",
    "outside": OPEN + b"</svg><script>alert(1)</script>",
    "comment": OPEN + b"<!--><script>alert(1)</script>--></svg>",
    "cdata": OPEN + b"<title><![CDATA[</title><script>alert(1)</script>]]></title></svg>",
    "other namespace": OPEN
    + b'<x:script xmlns:x="http://www.w3.org/1999/xhtml">1</x:script></svg>',
    "processing": b'<?xml-stylesheet href="https://x.example/a.css"?>' + OPEN + b"</svg>",
}


@pytest.fixture
def database(sqlite_file: Path, tmp_path: Path) -> dict[str, Any]:
    """One kind of server: pictures do not depend on it."""
    shutil.copy(sqlite_file, tmp_path / "landyard.db")
    return {"data": tmp_path}


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
def test_what_is_no_svg_is_refused(service: Service, content: bytes) -> None:
    assert upload(service, content, "a.svg").error == "FILE_ERROR"

"""The shipped catalogue: blocks, pictures, page templates, the style sheet and the demo."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from itertools import pairwise
from typing import Any

from turbohtml import parse_fragment

CATALOGUE = files("landyard_content").joinpath("catalogue")
ASSETS = files("landyard_public") / "static"


def names(folder: str, suffix: str) -> list[str]:
    """The names, without endings, of the files of one kind in a folder of the catalogue."""
    found = (entry.name for entry in CATALOGUE.joinpath(folder).iterdir())
    return sorted(name.removesuffix(suffix) for name in found if name.endswith(suffix))


def read(path: str) -> str:
    return CATALOGUE.joinpath(path).read_text(encoding="utf-8")


def document(code: str) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(read(f"blocks/{code}.json"))
    return decoded


CODES = names("blocks", ".html")
PICTURES = sorted(each.name.removesuffix(".svg") for each in (ASSETS / "pictures").iterdir())
HTML = {code: read(f"blocks/{code}.html") for code in CODES}
TEMPLATES: dict[str, dict[str, Any]] = {
    code: json.loads(read(f"templates/{code}.json")) for code in names("templates", ".json")
}
DEMO: dict[str, Any] = json.loads((files("landyard_sitekit") / "demo.json").read_text("utf-8"))
PAGES: dict[str, dict[str, Any]] = {
    "/demo/" if page["id"] == DEMO["sites"][0]["main_page"] else f"/demo/{page['code']}/": page
    for page in DEMO["pages"]
}


def page_html(page: dict[str, Any]) -> str:
    """The HTML of all blocks of a page or a template."""
    return "".join(block["content"] or HTML[block["code"]] for block in page["blocks"])


EVERY_HTML = {
    **HTML,
    **{address: page_html(page) for address, page in PAGES.items()},
    **{f"template {code}": page_html(template) for code, template in TEMPLATES.items()},
}


def style_name(code: str) -> str:
    """The class of a block that stands for its code."""
    return code.replace(".", "-").replace("_", "-")


def pictures_missing(html: str) -> list[str]:
    shown = re.findall(r"/assets/pictures/([\w-]+)\.svg", html)
    assert html.count("/assets/") == len(shown)
    return sorted(set(shown) - set(PICTURES))


def makes_an_outline(html: str) -> bool:
    """Tell whether the headings begin with the only h1 and no heading skips a level downwards."""
    headings = parse_fragment(html).select("h1, h2, h3, h4, h5, h6")
    levels = [int(heading.tag[1]) for heading in headings]
    steps = [after - before for before, after in pairwise(levels)]
    return levels[:1] == [1] and levels.count(1) == 1 and all(step <= 1 for step in steps)


def is_mailbox(target: str) -> bool:
    """Tell whether an address is a fictitious mailbox or telephone number."""
    mail = r"mailto:[\w.-]+@[\w.-]+\.example(\?subject=[\w%]+)?"
    return re.fullmatch(rf"{mail}|tel:\+441632960\d+", target) is not None


def layouts(code: str) -> list[str]:
    """The values of a block type's `data-layout`, the default first."""
    attributes = document(code)["manifest"]["style"]["block"]["additional"]["attrs"]
    (found,) = [each for each in attributes if each["attribute"] == "data-layout"]
    return [item["value"] for item in found["items"]]


def in_layout(code: str, layout: str, tone: str = "") -> str:
    """A block's own HTML with a layout, and with a tone where it may have one."""
    html = HTML[code].strip()
    if tone:
        html = re.sub(r' data-tone="\w+"', f' data-tone="{tone}"', html, count=1)
    return html.replace(">", f' data-layout="{layout}">', 1)

"""A block whose manifest declares attributes in every part that can have them, and a way to set
them.
"""

from typing import Any

from contract.worlds import DRAFT, PAGE, draft_html, page, world
from corpora import read_data

from landyard.testing import Service

METHOD = "landing.block.updateattrs"
CODE = "test.attrs"
BLOCK = f"#block{DRAFT}"

SANDBOX = "allow-scripts allow-same-origin allow-presentation allow-popups"
HTML = (
    '<section class="landing-block" id="own">\n'
    '  <div class="node">a</div><div class="node">b</div>\n'
    '  <p class="style" title="kept" data-old="&quot;">c</p>\n'
    '  <div class="card">d</div><div class="card">e</div>\n'
    '  <a class="go" href="/old" target="_self">f</a><img class="pic" src="/a.png" alt="">\n'
    f'  <iframe class="film" src="https://film.example/1" sandbox="{SANDBOX}"></iframe>\n'
    '  <div class="lazy" data-src="https://film.example/1"></div>\n'
    '  <ul class="menu"><li><a class="link" href="/1">1</a></li></ul><b id="wrapper">g</b>\n'
    "</section><aside>h</aside>"
)
MANIFEST = read_data(__file__, "MANIFEST", dict[str, dict[str, Any]])
MORE = (
    '<i class="group"></i><i class="moved"></i><i class="told"></i><i class="evil">x</i>'
    '<div id="block100"></div>'
)


def attrs_world(html: str = HTML, manifest: dict[str, Any] = MANIFEST) -> dict[str, Any]:
    return world(
        page(PAGE, {"id": DRAFT, "code": CODE, "content": html}),
        manifests=[{"code": CODE, "manifest": manifest}],
    )


def edited(service: Service, data: Any) -> str:
    assert service.result(METHOD, {"lid": PAGE, "block": DRAFT, "data": data}) is True
    return draft_html(service)

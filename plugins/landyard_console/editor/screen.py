"""The screen of the editor, at `/-/console/editor/<page>`, and what it shows in frames.

`…/draft` is the draft, `…/blocks/<code>` a block as it is before it is added.
"""

from typing import Any

import msgspec

from landyard import Host
from landyard_console import languages
from landyard_console.assets import asset
from landyard_console.editor.drafts import draft_to_edit, is_id, new_block
from landyard_console.editor.words import texts_of
from landyard_console.view import Answer, Shown, View
from landyard_landing import ICON_NAMES, BlockSettings, page_headers

_FIELDS = ("ID", "TITLE", "SITE_ID", "CODE", "ACTIVE", "DATE_PUBLIC", "DATE_MODIFY")
# Patterns of films' addresses, and where their players are.
_PLAYERS = (
    (
        r"^https://(?:www\.)?(?:youtube\.com/watch\?(?:.*&)?v=|youtu\.be/)([\w-]{6,})",
        "https://www.youtube-nocookie.com/embed/",
    ),
    (r"^https://vimeo\.com/(\d+)", "https://player.vimeo.com/video/"),
)
_LINK = '<link rel="stylesheet" href="{}">\n</head>'


def show(view: View) -> Shown | Answer:
    """Show the editor of the page that the address names, or the draft in its frame."""
    first, *behind = view.path or ("",)
    page_id = int(first) if is_id(first) else 0
    view.call("landing.landing.getadditionalfields", lid=page_id)  # refuses whom it is not for
    page = _page(view, page_id)
    match behind:
        case ["draft"]:
            return _frame(view.host, draft_to_edit(view.host, page_id))
        case ["blocks", code]:
            return _frame(view.host, new_block(view.host, int(page["SITE_ID"]), code))
    texts = texts_of(view.words.language)
    written = msgspec.json.encode(texts).decode()
    given = {"page": page, "texts": written, "told": texts.get, "players": _players()}
    given["icon_names"] = ICON_NAMES
    given["languages"] = msgspec.json.encode(languages.offered("")).decode()
    return Shown(
        title=page["TITLE"] or texts["editor.untitled"],
        main=view.html("editor.html", **given),
        scripts=["editor/start.js"],
        styles=["editor/editor.css"],
        wide=True,
    )


def _players() -> str:
    return msgspec.json.encode(_PLAYERS).decode()


def _page(view: View, page_id: int) -> dict[str, Any]:
    """Ask for the fields of a page that the user sees."""
    params = {"filter": {"ID": page_id}, "select": [*_FIELDS]}
    found: list[dict[str, Any]] = view.call("landing.landing.getList", params=params)
    return found[0]


def _frame(host: Host, document: str) -> Answer:
    """Answer a document for a frame: it runs no script, and the editor alone may frame it."""
    hosts = host.section(BlockSettings).embed_hosts
    policy = dict(page_headers(document, hosts))[b"content-security-policy"].decode()
    policy = policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'; script-src 'none'")
    sheet = _LINK.format(asset("editor/frame.css"))
    return Answer(body=document.replace("</head>", sheet, 1).encode(), policy=policy)

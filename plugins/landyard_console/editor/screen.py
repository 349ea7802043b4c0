"""The screen of the editor, at `/-/console/editor/<page>`, and the documents in its frames.

`…/draft` is the draft, `…/blocks/<code>` a new block of a type.
"""

from typing import Any

import msgspec

from landyard import Host
from landyard_console import languages
from landyard_console.assets import asset
from landyard_console.editor.drafts import draft_to_edit, is_id, new_block
from landyard_console.editor.words import texts_of
from landyard_console.view import Answer, Shown, View
from landyard_html.icons import ICON_NAMES
from landyard_landing import settings
from landyard_public.answers import page_headers

_FIELDS = ("ID", "TITLE", "SITE_ID", "CODE", "ACTIVE", "DATE_PUBLIC", "DATE_MODIFY")
# Patterns of the addresses of videos, and the addresses of their players.
_PLAYERS = (
    (
        r"^https://(?:www\.)?(?:youtube\.com/watch\?(?:.*&)?v=|youtu\.be/)([\w-]{6,})",
        "https://www.youtube-nocookie.com/embed/",
    ),
    (r"^https://vimeo\.com/(\d+)", "https://player.vimeo.com/video/"),
)
_LINK = '<link rel="stylesheet" href="{}">\n</head>'


def show(view: View) -> Shown | Answer:
    """Return the editor of the page in the address, or a document for one of its frames."""
    first, *behind = view.path or ("",)
    page_id = int(first) if is_id(first) else 0
    view.call("landing.landing.getadditionalfields", lid=page_id)  # refused without the right
    page = _page(view, page_id)
    match behind:
        case ["draft"]:
            return _frame(view.host, draft_to_edit(view.host, page_id))
        case ["blocks", code]:
            return _frame(view.host, new_block(view.host, int(page["SITE_ID"]), code))
    texts = texts_of(view.words.language)
    encoded_texts = msgspec.json.encode(texts).decode()
    values = {"page": page, "texts": encoded_texts, "told": texts.get, "players": _players()}
    values["icon_names"] = ICON_NAMES
    values["languages"] = msgspec.json.encode(languages.offered("")).decode()
    return Shown(
        title=page["TITLE"] or texts["editor.untitled"],
        main=view.html("editor.html", **values),
        scripts=["editor/start.js"],
        styles=["editor/editor.css"],
        wide=True,
    )


def _players() -> str:
    return msgspec.json.encode(_PLAYERS).decode()


def _page(view: View, page_id: int) -> dict[str, Any]:
    """Return the fields of a page that the user may view."""
    params = {"filter": {"ID": page_id}, "select": [*_FIELDS]}
    pages: list[dict[str, Any]] = view.call("landing.landing.getList", params=params)
    return pages[0]


def _frame(host: Host, document: str) -> Answer:
    """Return a document for a frame: without scripts, and to be framed by the console only."""
    hosts = host.section(settings.BlockSettings).embed_hosts
    policy = dict(page_headers(document, hosts))[b"content-security-policy"].decode()
    policy = policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'; script-src 'none'")
    sheet = _LINK.format(asset("editor/frame.css"))
    return Answer(body=document.replace("</head>", sheet, 1).encode(), policy=policy)

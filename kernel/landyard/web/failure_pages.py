"""The pages that a browser gets where no page exists, or where none can be shown now."""

import hashlib
from base64 import b64encode
from html import escape
from http import HTTPStatus
from typing import Any

from landyard.public_answer import PublicAnswer
from landyard.web.answer_cache import PROBES
from landyard.web.wire import Outgoing

_WORDS = {
    403: ("This page is not open to you", "It may be open on another way."),
    404: ("There is no page here", "The address may be mistyped, or the page may have moved."),
    405: ("This page cannot be sent anything", "Open its address to read it."),
    413: ("That was too large", "Send less, or a smaller file."),
    429: ("Too many requests", "Wait a moment, then try again."),
    500: ("Something broke here", "The fault is ours, and has been noted. Please try again."),
    503: ("We cannot answer just now", "This will pass. Please try again in a moment."),
}
STYLE = """
:root { color-scheme: light dark }
body { max-width: 34rem; margin: 20vh auto; padding: 0 2rem; font: 1.1rem/1.5 system-ui }
h1 { font-size: clamp(1.9rem, 6vw, 3rem); line-height: 1.1 }
"""


def failure_page(refusal: Outgoing, scope: Any, style: str) -> PublicAnswer:
    """Write a refusal as a page with a way on; it loads nothing, and no plugin is asked.

    A probe, or a client that wants JSON and no HTML, gets the refusal as it is.
    """
    status = refusal.status
    wanted = b",".join(value for name, value in scope["headers"] if name == b"accept")
    if scope["path"] in PROBES or (b"json" in wanted and b"text/html" not in wanted):
        return PublicAnswer(status, refusal.headers, refusal.body)
    title, text = _WORDS.get(status) or (HTTPStatus(status).phrase, "Try another address.")
    again = '<p><a href="">Try again</a></p>\n' if status in {429, 500, 503} else ""
    start = '<p><a href="/">Go to the start page</a></p>\n' if scope["path"] != "/" else ""
    body = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n<p>{text}</p>\n{again}{start}<p><small>{status}, request"
        f" {escape(scope['state']['request_id'])}</small></p>\n</main>\n</body>\n</html>\n"
    ).encode()
    headers = {
        **dict(refusal.headers),
        b"content-type": b"text/html; charset=utf-8",
        b"content-length": str(len(body)).encode(),
        b"content-security-policy": b"default-src 'none'; style-src 'sha256-%b'; img-src data:;"
        b" base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        % b64encode(hashlib.sha256(style.encode()).digest()),
    }
    return PublicAnswer(status, tuple(headers.items()), body)

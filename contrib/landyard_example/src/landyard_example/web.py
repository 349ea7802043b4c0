"""The public page at `/guestbook`, which shows the newest entries."""

from html import escape

from landyard import Host
from litestar import Response, get
from sqlmodel import Session

from landyard_example.entries import Entry, newest
from landyard_example.settings import GuestbookSettings

# The page needs no scripts. This policy forbids them, should the escaping ever miss a case.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Guest book</title>
<h1>Guest book</h1>
{entries}
</html>
"""


def public_page(host: Host) -> object:
    """Return the route handler of the page."""

    @get("/guestbook")
    def guestbook() -> Response[str]:
        """Show the newest entries."""
        return Response(_page(host), media_type="text/html", headers=_HEADERS)

    return guestbook


def _page(host: Host) -> str:
    most = host.section(GuestbookSettings).page
    with host.store.session() as session:
        return _PAGE.format(entries=_entries(session, most))


def _entries(session: Session, most: int) -> str:
    entries = [_entry_html(entry) for entry in newest(session, 0, most)]
    return "\n".join(entries) or "<p>Nobody has written yet.</p>"


def _entry_html(entry: Entry) -> str:
    day = f"<time>{entry.added_at:%Y-%m-%d}</time>"
    return f"<p>{escape(entry.text)}<br>{escape(entry.name)}, {day}</p>"

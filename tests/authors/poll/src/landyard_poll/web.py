"""The public page of a poll, at `/poll/<id>`: a form, and after a vote the results."""

import secrets
from html import escape
from typing import Annotated, Any

from landyard import Host, UnitOfWork
from litestar import Request, Response, get, post
from litestar.datastructures import Cookie
from litestar.enums import RequestEncodingType
from litestar.exceptions import NotFoundException
from litestar.params import Body, FromPath
from litestar.response import Redirect
from sqlmodel import Session

from landyard_poll.polls import Count, counts, find_poll, has_voted, is_open
from landyard_poll.tables import Poll, Vote

_COOKIE = "landyard_poll_voter"
_YEAR = 365 * 24 * 60 * 60
# Texts of pollsters are escaped, the page runs no script, and its form is sent only to this
# service.
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<h1>{title}</h1>
{said}{body}
</html>
"""
_CHOOSE = "Choose one of the answers."
_NO_COOKIE = "Your vote was not counted: your browser did not send this page's cookie. Try again."


def pages(host: Host) -> list[object]:
    """Build the routes."""
    secure = host.settings.base.startswith("https:")

    @get("/poll/{number:int}")
    def show(request: Request[Any, Any, Any], number: FromPath[int]) -> Response[str]:
        """Show the form; visitors who have voted, and visitors of a closed poll, see the
        results.
        """
        voter = request.cookies.get(_COOKIE, "")
        with host.store.session() as session:
            page = _page(session, number, voter, host)
        return _answer(page, [] if voter else [_cookie(secure)])

    @post("/poll/{number:int}")
    def vote(
        request: Request[Any, Any, Any],
        number: FromPath[int],
        data: Annotated[dict[str, str], Body(media_type=RequestEncodingType.URL_ENCODED)],
    ) -> Response[Any]:
        """Count a visitor's first vote, and redirect to the results."""
        # Browsers send a `Lax` cookie with no form of another site, so no other site can make a
        # visitor vote.
        voter = request.cookies.get(_COOKIE, "")

        def count(unit: UnitOfWork) -> tuple[int, str]:
            said = _count(unit.session, number, voter, data.get("choice", ""), host)
            if not said:
                return 303, ""
            status = 400 if voter else 403
            return status, _page(unit.session, number, voter, host, said)

        status, page = host.store.run(count, writes=True)
        if not page:
            return Redirect(f"/poll/{number}", status_code=303, headers=_HEADERS)
        return _answer(page, [] if voter else [_cookie(secure)], status)

    return [show, vote]


def _answer(page: str, cookies: list[Cookie], status: int = 200) -> Response[str]:
    return Response(
        page, media_type="text/html", headers=_HEADERS, cookies=cookies, status_code=status
    )


def _cookie(secure: bool) -> Cookie:
    return Cookie(
        key=_COOKIE,
        value=secrets.token_urlsafe(16),
        path="/poll",
        max_age=_YEAR,
        httponly=True,
        samesite="lax",
        secure=secure,
    )


def _need(session: Session, number: int, *, hold: bool = False) -> Poll:
    poll = find_poll(session, number, hold=hold)
    if poll is None:
        raise NotFoundException
    return poll


def _count(session: Session, number: int, voter: str, choice: str, host: Host) -> str:
    """Count a vote; return what to say where it is not one."""
    poll = _need(session, number, hold=True)
    if not voter:
        return _NO_COOKIE
    if not is_open(poll, host.now()) or has_voted(session, number, voter):
        return ""  # the page shows the results
    known = {str(each.id): each.id for each in counts(session, number)}
    if choice not in known:
        return _CHOOSE
    session.add(Vote(poll_id=number, voter=voter, choice_id=known[choice]))
    return ""


def _page(session: Session, number: int, voter: str, host: Host, said: str = "") -> str:
    poll, counted = _need(session, number), counts(session, number)
    now_open = is_open(poll, host.now())
    voting = now_open and not has_voted(session, number, voter)
    return _PAGE.format(
        title=escape(poll.question),
        said=f'<p role="alert">{escape(said)}</p>\n' if said else "",
        body=_form(number, counted) if voting else _results(counted, now_open=now_open),
    )


def _form(number: int, counted: list[Count]) -> str:
    choices = "\n".join(
        f'<p><label><input type="radio" name="choice" value="{each.id}" required> '
        f"{escape(each.choice)}</label></p>"
        for each in counted
    )
    return (
        f'<form method="post" action="/poll/{number}">\n{choices}\n<button>Vote</button>\n</form>'
    )


def _results(counted: list[Count], *, now_open: bool) -> str:
    rows = "\n".join(
        f"<tr><th>{escape(each.choice)}</th><td>{each.votes}</td></tr>" for each in counted
    )
    state = "Thank you for your vote." if now_open else "This poll is closed."
    return f"<p>{state}</p>\n<table>\n{rows}\n</table>"

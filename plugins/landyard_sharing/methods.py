"""`landyard.draft.share`, `links` and `unshare`: management of links to a page's draft."""

import secrets
from datetime import timedelta
from typing import Annotated

from msgspec import Meta, Struct, field
from sqlalchemy import delete, func, insert, select

from landyard import (
    Call,
    CallError,
    Example,
    Irreversible,
    MethodGroup,
    MissingParams,
    NeededId,
    Secret,
    Settings,
    WrongType,
    credentials,
)
from landyard_landing import errors, rights, sites
from landyard_sharing.links import PLACE, may_share
from landyard_sharing.tables import LINK

sharing = MethodGroup(scope="landing")
_MOST = 50  # links of one page
_ERRORS = (MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied)


class TooManyLinks(CallError):
    code = "TOO_MANY_LINKS"
    text = f"A page has at most {_MOST} links to its draft; revoke some first."


class Share(Struct, frozen=True):
    """`lid`: a page's id; `hours`: hours until the link expires."""

    page_id: NeededId = field(name="lid")
    hours: Annotated[int, Meta(ge=1, le=24 * 90)] = 24


class OfPage(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")


class Unshare(Struct, frozen=True):
    """`lid`: a page's id; `ids`: ids of links."""

    page_id: NeededId = field(name="lid")
    ids: Annotated[
        list[Annotated[int, Meta(ge=1, le=2**31 - 1)]], Meta(min_length=1, max_length=_MOST)
    ]


class Made(Struct, frozen=True):
    """A new link; its address cannot be read again."""

    id: int
    url: str
    expires: str


class Listed(Struct, frozen=True):
    """A valid link: the user who made it, and its expiry."""

    id: int
    user: int
    expires: str


@sharing.method(
    "landyard.draft.share",
    right="edit",
    writes=True,
    notes=[Irreversible(), Secret()],
    errors=[*_ERRORS, TooManyLinks],
    example=Example(
        {"lid": 10, "hours": 24},
        result={
            "id": 1,
            "url": "http://127.0.0.1:8000/-/draft?key=…",
            "expires": "2026-01-02T12:00:00+00:00",
        },
    ),
)
def share(call: Call, params: Share) -> Made:
    """Make a link that shows a page's draft without signing in.

    It shows the current draft, without scripts. Only this answer has its address. It is valid only
    while its maker may edit the page. Needs the right to edit.
    """
    rights.find_page(call, params.page_id, None).require(rights.Right.EDIT)
    sites.lock_referenced_pages(call.connection, [params.page_id])
    page = rights.find_page(call, params.page_id, None)
    page.require(rights.Right.EDIT)
    good = (LINK.page_id == page.id) & (LINK.expires_at > call.now())
    if call.connection.execute(select(func.count()).where(good)).scalar_one() >= _MOST:
        raise TooManyLinks
    secret = secrets.token_urlsafe(32)
    expires = call.now() + timedelta(hours=params.hours)
    row = {"digest": credentials.digest(secret), "page_id": page.id, "expires_at": expires}
    inserted = insert(LINK.id.table).values(**row, user_id=call.actor.user_id).returning(LINK.id)
    link_id = call.connection.execute(inserted).scalar_one()
    settings = call.settings(Settings)
    shown_expiry = expires.astimezone(settings.zone).isoformat(timespec="seconds")
    return Made(link_id, f"{settings.base}{PLACE}?key={secret}", shown_expiry)


@sharing.method(
    "landyard.draft.links",
    right="edit",
    errors=_ERRORS,
    example=Example({"lid": 10}, result=[]),
)
def links(call: Call, params: OfPage) -> list[Listed]:
    """List the valid links to a page's draft, without their addresses.

    Links whose maker may no longer edit the page are left out, because they are invalid.

    Needs the right to edit.
    """
    page = rights.find_page(call, params.page_id, None)
    page.require(rights.Right.EDIT)
    query = select(LINK.id, LINK.user_id, LINK.expires_at).where(
        LINK.page_id == page.id, LINK.expires_at > call.now()
    )
    zone = call.settings(Settings).zone
    rows = call.connection.execute(query.order_by(LINK.id)).all()
    makers = {user_id for _, user_id, _ in rows}
    good = {each for each in makers if may_share(call.connection, each, page.site_id)}
    return [
        Listed(link_id, user_id, expires.astimezone(zone).isoformat(timespec="seconds"))
        for link_id, user_id, expires in rows
        if user_id in good
    ]


@sharing.method(
    "landyard.draft.unshare",
    right="edit",
    writes=True,
    notes=[Irreversible()],
    errors=_ERRORS,
    example=Example({"lid": 10, "ids": [1]}, result=0),
)
def unshare(call: Call, params: Unshare) -> int:
    """Revoke links to a page's draft; answers the number revoked.

    Needs the right to edit.
    """
    page = rights.find_page(call, params.page_id, None)
    page.require(rights.Right.EDIT)
    removed = delete(LINK.id.table).where(LINK.page_id == page.id, LINK.id.in_(params.ids))
    return int(call.connection.execute(removed).rowcount)

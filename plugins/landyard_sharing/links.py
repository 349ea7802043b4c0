"""Links: whose draft a secret shows, as long as it is good."""

from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, select

from landyard import Host, Prepared, credentials
from landyard_landing import PAGE, SITE, BlockType, Right, draft_page, rights_of_user
from landyard_sharing.tables import LINK

PLACE = "/-/draft"
"""Where a link leads: `/-/draft?key=<secret>`. The log has no queries, so no secret."""


class Link(Struct, frozen=True):
    """A link that has not expired, to the draft of a page outside the trash."""

    id: int
    page_id: int
    site_id: int
    user_id: int
    expires_at: datetime


_FIND = Prepared(
    select(LINK.id, LINK.page_id, PAGE.site_id, LINK.user_id, LINK.expires_at)
    .select_from(LINK.id.table)
    .join(PAGE.id.table, PAGE.id == LINK.page_id)
    .join(SITE.id.table, SITE.id == PAGE.site_id)
    .where(
        *(LINK.digest == bindparam("hashed"), LINK.expires_at > bindparam("now")),
        *(~PAGE.deleted, ~SITE.deleted),
    ),
    Link,
)


def find_link(host: Host, secret: str) -> Link | None:
    """Find the link of a secret; None for one that is not good any more."""
    with host.store.unit(writes=False) as unit:
        return _find(host, unit.connection, secret)


def shown_by(host: Host, secret: str, link_id: int) -> str | None:
    """Draw the draft of the link `link_id`, as visitors would see it; None without its secret."""
    with host.store.unit(writes=False) as unit:
        link = _find(host, unit.connection, secret)
        if link is None or link.id != link_id:
            return None
        return draft_page(host, unit.connection, link.page_id, host.records(BlockType)).html


def may_share(connection: Connection, user_id: int, site_id: int) -> bool:
    """Tell whether the maker of a link still may edit the site's pages: else it shows nothing."""
    return Right.EDIT in rights_of_user(connection, user_id, site_id)


def forget(host: Host) -> None:
    """Remove the links that have expired."""
    gone = delete(LINK.id.table).where(LINK.expires_at <= host.now())
    host.store.run(lambda unit: unit.connection.execute(gone), writes=True)


def _find(host: Host, connection: Connection, secret: str) -> Link | None:
    hashed = credentials.digest(secret)
    link: Link | None = _FIND.first(connection, hashed=hashed, now=host.now())
    good = link is not None and may_share(connection, link.user_id, link.site_id)
    return link if good else None

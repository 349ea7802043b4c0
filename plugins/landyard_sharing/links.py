"""The look-up of a link by its secret, and the page that shows its draft."""

from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, select

from landyard import Host, Prepared, credentials
from landyard_content import blocks
from landyard_landing import rights, tables
from landyard_public.rendering import draft_page
from landyard_sharing.tables import LINK

PLACE = "/-/draft"
"""The address of links, `/-/draft?key=<secret>`. Logs leave out queries, so also the secret."""


class Link(Struct, frozen=True):
    """An unexpired link to the draft of a page outside the trash."""

    id: int
    page_id: int
    site_id: int
    user_id: int
    expires_at: datetime


_FIND = Prepared(
    select(LINK.id, LINK.page_id, tables.PAGE.site_id, LINK.user_id, LINK.expires_at)
    .select_from(LINK.id.table)
    .join(tables.PAGE.id.table, tables.PAGE.id == LINK.page_id)
    .join(tables.SITE.id.table, tables.SITE.id == tables.PAGE.site_id)
    .where(
        *(LINK.digest == bindparam("hashed"), LINK.expires_at > bindparam("now")),
        *(~tables.PAGE.deleted, ~tables.SITE.deleted),
    ),
    Link,
)


def find_link(host: Host, secret: str) -> Link | None:
    """Return the link of a secret; None if it is not valid."""
    with host.store.unit(writes=False) as unit:
        return _find(host, unit.connection, secret)


def shown_by(host: Host, secret: str, link_id: int) -> str | None:
    """Return the HTML of the draft of link `link_id`; None if the secret is not its own."""
    with host.store.unit(writes=False) as unit:
        link = _find(host, unit.connection, secret)
        if link is None or link.id != link_id:
            return None
        return draft_page(host, unit.connection, link.page_id, host.records(blocks.BlockType)).html


def may_share(connection: Connection, user_id: int, site_id: int) -> bool:
    """Tell whether the maker of a link may still edit the site's pages; else it is invalid."""
    return rights.Right.EDIT in rights.rights_of_user(connection, user_id, site_id)


def forget(host: Host) -> None:
    """Remove expired links."""
    expired = delete(LINK.id.table).where(LINK.expires_at <= host.now())
    host.store.run(lambda unit: unit.connection.execute(expired), writes=True)


def _find(host: Host, connection: Connection, secret: str) -> Link | None:
    hashed = credentials.digest(secret)
    link: Link | None = _FIND.first(connection, hashed=hashed, now=host.now())
    good = link is not None and may_share(connection, link.user_id, link.site_id)
    return link if good else None

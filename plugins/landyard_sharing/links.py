"""Links: whose draft a secret shows, as long as it is good."""

from sqlalchemy import Connection, bindparam, delete, select

from landyard import Kernel, Prepared, credentials
from landyard_landing import PAGE, SITE, BlockType, draft_page
from landyard_sharing.tables import LINK

PLACE = "/-/draft"
"""Where drafts are shown: `/-/draft?key=<secret>`. The log has no queries, so no secret."""

_FIND = Prepared(
    select(LINK.page_id)
    .join(PAGE.id.table, PAGE.id == LINK.page_id)
    .join(SITE.id.table, SITE.id == PAGE.site_id)
    .where(
        *(LINK.digest == bindparam("hashed"), LINK.expires_at > bindparam("now")),
        *(~PAGE.deleted, ~SITE.deleted),
    ),
    int,
)


def find_link(kernel: Kernel, connection: Connection, secret: str) -> int | None:
    """Return the id of the page that a secret shows; None for one that is not good any more."""
    hashed = credentials.digest(secret)
    return _FIND.first(connection, hashed=hashed, now=kernel.now())


def shown_by(kernel: Kernel, secret: str) -> str | None:
    """Draw the draft that a secret shows, as visitors would see it; None where it shows none."""
    with kernel.store.unit(writes=False) as unit:
        page_id = find_link(kernel, unit.connection, secret)
        if page_id is None:
            return None
        return draft_page(kernel, unit.connection, page_id, kernel.records(BlockType)).html


def forget(kernel: Kernel) -> None:
    """Remove the links that have expired."""
    gone = delete(LINK.id.table).where(LINK.expires_at <= kernel.now())
    kernel.store.run(lambda unit: unit.connection.execute(gone), writes=True)

"""Finds a site by id with the caller's rights; None if the caller may not view it."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Integer, Select, bindparam, case, select

from landyard import Call, Prepared
from landyard_landing.errors import AccessDenied
from landyard_landing.rights.site_rights import (
    Right,
    rights_of,
    site_types,
    with_held,
    with_rights,
)
from landyard_landing.sites.codes import BIGGEST_ID
from landyard_landing.tables import SITE

DOMAIN_ID = case((SITE.domain.is_not(None), SITE.id))
"""The id of a site's domain, equal to the site's id, since no two share one; else NULL."""
_SITE_COLUMNS = (SITE.id, SITE.type, SITE.main_page_id, SITE.deleted)
_SITES = select(*_SITE_COLUMNS).select_from(SITE.id.table)
_THIS = SITE.id == bindparam("site_id")


class ViewedSite(Struct, frozen=True):
    """A site that the caller may view, with the caller's rights on it."""

    id: int
    type: str
    main_page_id: int | None
    deleted: bool
    rights: Right

    def require(self, right: Right) -> None:
        """Raise `AccessDenied` unless the caller has `right` on the site (R3)."""
        if right not in self.rights:
            raise AccessDenied(f"This needs the right to {right.does} on the site.")


class SiteQuery:
    """A prepared query: finds one site by id, the caller's rights on it, and further columns.

    It is to sites as `PageQuery` is to pages.
    """

    def __init__(
        self,
        *columns: ColumnElement[Any],
        joined: Callable[[Select[Any]], Select[Any]] = lambda it: it,
        held: Select[Any] | None = None,
    ) -> None:
        """Prepare a query that also reads `columns`: of the site, or of a table of `joined`.

        `held` reads columns of one row, such as the site's own. A look-up can lock this row; it
        then answers the columns of `held` behind `columns`.
        """
        query = joined(_SITES.add_columns(*columns))
        plain = holding = with_rights(query, SITE.id)
        if held is not None:
            needed = bindparam("needed", type_=Integer)
            holding = with_held(query, SITE.id, held, needed)
        self._plain, self._holding = Prepared(plain.where(_THIS)), Prepared(holding.where(_THIS))

    def find(
        self,
        call: Call,
        site_id: int,
        scope: str | None,
        *,
        every_type: bool = False,
        trash: bool = False,
        hold_for: Right | None = None,
        **values: Any,
    ) -> tuple[ViewedSite, Any] | None:
        """Find a site as `find_site` does; return it, and a tuple of the further columns.

        `values` are the query's own parameters. `hold_for` locks as in `PageQuery.find`.
        """
        if not 0 < site_id <= BIGGEST_ID:
            return None  # no site can have this id (C5)
        actor, connection, query = call.actor, call.connection, self._plain
        values |= {"site_id": site_id, "user_id": actor.user_id}
        if hold_for is not None and connection.dialect.name != "sqlite":
            query = self._holding
            values |= {"needed": hold_for.value, "is_admin": actor.admin}
        row = query.first(connection, **values)
        if row is None:
            return None
        site = ViewedSite(*row[: len(_SITE_COLUMNS)], rights_of(actor, *row[-4:]))  # type: ignore[call-arg]  # mypy: one value
        is_viewable = Right.VIEW in site.rights and (trash or not site.deleted)
        if is_viewable and (every_type or site.type in site_types(scope)):
            return site, row[len(_SITE_COLUMNS) : -4]
        return None


_FIND = SiteQuery()


def find_site(
    call: Call,
    site_id: int,
    scope: str | None,
    *,
    every_type: bool = False,
    trash: bool = False,
) -> ViewedSite | None:
    """Find a site; None where it does not exist or the caller may not view it (R1, R2, R5).

    `every_type` includes sites of all types, whatever the `scope`; `trash` includes sites in the
    trash.
    """
    found = _FIND.find(call, site_id, scope, every_type=every_type, trash=trash)
    return None if found is None else found[0]

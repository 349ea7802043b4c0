"""Reads and writes the rows of sites, with rights and locks, and checks free codes and domains."""

import functools
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from landyard import Call, Prepared, spelt
from landyard_landing import authorship, errors, rights, sites, tables
from landyard_sites.places.limits import one_at_a_time

_LONGEST = 245  # characters of a code, with room for an appended number
NOT_THERE = "Site not found or access to it is denied."


class HeldSite(Struct, frozen=True):
    """A site with its row locked until the call ends."""

    id: int
    type: str
    code: str
    title: str
    domain: str | None
    main_page_id: int | None
    active: bool
    deleted: bool
    additional_fields: dict[str, Any]
    template_code: str


class DomainOwner(Struct, frozen=True):
    """The site that has a domain."""

    id: int
    domain: str
    deleted: bool


_THIS = tables.SITE.id == bindparam("site_id")
_HELD = HeldSite.__struct_fields__
# No key of the row changes, so calls that add pages to the site need not wait.
_HOLD = Prepared(
    select(*(tables.SITE[name] for name in _HELD)).where(_THIS).with_for_update(key_share=True),
    HeldSite,
)
_NOW = tables.SITE.id.table.alias().c
_FIND = sites.SiteQuery(
    *(tables.SITE[name] for name in _HELD),
    held=select(*(_NOW[name] for name in _HELD))
    .where(_NOW.id == tables.SITE.id)
    .with_for_update(key_share=True),
)
_ADD = Prepared(insert(tables.SITE.id.table).returning(tables.SITE.id), int)
_SAVE = update(tables.SITE.id.table).where(_THIS)
_ERASE = Prepared(delete(tables.SITE.id.table).where(_THIS))
_HAS_PAGE = Prepared(
    select(tables.PAGE.id).where(tables.PAGE.site_id == bindparam("site_id")).limit(1), int
)
_FIELDS = Prepared(select(tables.SITE.additional_fields).where(_THIS))
_OWN_PAGE = Prepared(
    select(tables.PAGE.id).where(
        tables.PAGE.id == bindparam("page_id"),
        tables.PAGE.site_id == bindparam("site_id"),
        ~tables.PAGE.deleted,
    ),
    int,
)
_OWNERS = select(*(tables.SITE[name] for name in DomainOwner.__struct_fields__))
_OWNER = Prepared(_OWNERS.where(tables.SITE.domain == bindparam("domain")), DomainOwner)
_OWNER_ID = Prepared(_OWNERS.where(_THIS, tables.SITE.domain.is_not(None)), DomainOwner)
_ALIKE = Prepared(
    select(tables.SITE.code).where(
        func.substr(tables.SITE.code, 1, bindparam("length")) == bindparam("code"),
        tables.SITE.id != bindparam("site_id"),
    ),
    str,
)


def require_site(
    call: Call,
    site_id: int,
    scope: str | None,
    right: rights.Right,
    *,
    trash: bool = False,
    every_type: bool = False,
) -> sites.ViewedSite:
    """Return a site as `find_site` does, on which the caller has `right`.

    Raises `AccessDenied`; the site becomes the call's subject.
    """
    return _require(call, site_id, scope, right, every_type=every_type, trash=trash)[0]


def hold_site(
    call: Call,
    site_id: int,
    scope: str | None,
    right: rights.Right,
    *,
    trash: bool = False,
    every_type: bool = False,
) -> HeldSite:
    """Return a site as `require_site` does, with its row locked."""
    options = {"every_type": every_type, "trash": trash, "hold_for": right}
    row = _require(call, site_id, scope, right, **options)[1][-len(_HELD) :]
    return _live(None if row[0] is None else HeldSite(*row), trash=trash)


def hold_seen(call: Call, site_id: int, *, trash: bool = False) -> HeldSite:
    """Lock and return a site that `require_site` has found; raises `AccessDenied`."""
    return _live(_HOLD.first(call.connection, site_id=site_id), trash=trash)


def _require(
    call: Call,
    site_id: int,
    scope: str | None,
    right: rights.Right,
    **options: Any,
) -> tuple[sites.ViewedSite, Any]:
    call.subject = f"site:{site_id}"
    found = _FIND.find(call, site_id, scope, **options)
    if found is None:
        raise errors.AccessDenied(NOT_THERE)
    found[0].require(right)
    return found


def _live(site: HeldSite | None, *, trash: bool) -> HeldSite:
    if site is None or (site.deleted and not trash):  # deleted meanwhile
        raise errors.AccessDenied(NOT_THERE)
    return site


def add_site(call: Call, code: str, values: Mapping[str, Any]) -> int:
    """Add an inactive site and return its id; a code in use gets a number appended."""
    one_at_a_time(call.connection)
    now, user_id = call.now(), call.actor.user_id
    signed = {"created_at": now, "modified_at": now, "created_by": user_id, "modified_by": user_id}
    free = _free_code(call.connection, code)
    site_id = _ADD.first(
        call.connection, **values, theme_tokens={}, code=free, active=False, **signed
    )
    assert site_id is not None
    return site_id


def save_site(call: Call, site_id: int, values: Mapping[str, Any]) -> None:
    """Update columns of a site, with the caller as its last editor."""
    save = _saving(tuple(sorted(values)))
    save.run(call.connection, site_id=site_id, **values, **authorship.changed_by(call))


def has_pages(connection: Connection, site_id: int) -> bool:
    """Tell whether a site has pages, in the trash or not."""
    return _HAS_PAGE.first(connection, site_id=site_id) is not None


def erase_site(connection: Connection, site_id: int) -> None:
    """Remove a site for good, with its folders and the rights on it."""
    _ERASE.run(connection, site_id=site_id)


def additional_fields(connection: Connection, site_id: int) -> dict[str, Any]:
    """Return the additional fields of an existing site."""
    (row,) = _FIELDS.all(connection, site_id=site_id)
    return dict(row[0])


def own_page(connection: Connection, site_id: int, page_id: int) -> bool:
    """Tell whether a page is on this site and outside the trash."""
    return _OWN_PAGE.first(connection, site_id=site_id, page_id=page_id) is not None


def read_segment(code: str, title: str, noun: str = "site") -> str:
    """Return the code of a site or folder from `shop` or `/shop/`, or from the title if empty.

    Characters that cannot be in an address are transliterated. Raises `SlashIsNotAllowed`.
    """
    code = spelt(code).strip()
    code = code.removeprefix("/").removesuffix("/")
    if "/" in code:
        raise errors.SlashIsNotAllowed(f"A {noun}'s address must not contain a slash.")
    if not code:
        return sites.generate_code(title)
    if not sites.is_segment(code):
        return sites.generate_code(code)
    return code


def is_free_code(connection: Connection, code: str, site_id: int) -> bool:
    """Tell whether a code is free: neither another site nor the service itself has it (P11)."""
    one_at_a_time(connection)
    used_codes = _ALIKE.all(connection, code=code, length=len(code), site_id=site_id)
    return code not in sites.RESERVED and code not in used_codes


def domain_owner(connection: Connection, domain: str | int) -> DomainOwner | None:
    """Return the site that has a domain, given by name or by id."""
    if isinstance(domain, int):
        return _OWNER_ID.first(connection, site_id=domain)
    one_at_a_time(connection)
    return _OWNER.first(connection, domain=domain)


def _free_code(connection: Connection, code: str) -> str:
    if code.isdecimal():
        code = f"site{code}"
    code = code[:_LONGEST]
    used_codes = {*_ALIKE.all(connection, code=code, length=len(code), site_id=0)} | sites.RESERVED
    number, free = 1, code
    while free in used_codes:
        number += 1
        free = f"{code}{number}"
    return free


@functools.lru_cache(maxsize=64)
def _saving(columns: tuple[str, ...]) -> Prepared[Any]:  # noqa: ARG001 - the key of the cache
    """Return the prepared update for these columns of a site."""
    return Prepared(_SAVE)

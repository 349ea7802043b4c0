"""Checks and generates page codes, the last segments of page addresses (P1 to P3)."""

import re
import secrets
import string
from collections.abc import Collection
from typing import Any

from anyascii import anyascii
from msgspec import Struct
from sqlalchemy import Connection, bindparam, select, union_all

from landyard import Prepared, one_of, spelt
from landyard_landing.errors import (
    CantBeEmpty,
    FolderNotFound,
    SiteNotFound,
    SlashIsNotAllowed,
    WrongCodeFormat,
)
from landyard_landing.sites.urls import RESERVED
from landyard_landing.tables import FOLDER, PAGE, SITE

BIGGEST_ID = 2**31 - 1
"""The largest id: the limit of an id column."""
LONGEST = 255  # characters, as of the codes in a world file

_REFUSED = re.compile(r"\w+_\d+_\d+")
_NOT_IN_A_CODE = re.compile(r"[^a-z0-9_]+")
_LONGEST_GENERATED = 100
_LONGEST_READ = 10_000  # characters of a title: the site is locked meanwhile
_PAGE = select(PAGE.id).where(
    PAGE.site_id == bindparam("site_id"),
    PAGE.code == bindparam("code"),
    PAGE.deleted.is_(False),
    PAGE.id != bindparam("page_id"),
)
_FOLDER = select(FOLDER.id).where(
    FOLDER.site_id == bindparam("site_id"),
    FOLDER.code == bindparam("code"),
    FOLDER.id != bindparam("own_folder"),
)
# Two statements: PostgreSQL uses no index for a condition in which NULL may equal NULL.
_HOLDERS_IN_FOLDER = Prepared(
    union_all(
        _PAGE.where(PAGE.folder_id == bindparam("folder_id")),
        _FOLDER.where(FOLDER.parent_id == bindparam("folder_id")),
    )
)
_HOLDERS_AT_ROOT = Prepared(
    union_all(_PAGE.where(PAGE.folder_id.is_(None)), _FOLDER.where(FOLDER.parent_id.is_(None)))
)


_STATE = Prepared(
    select(FOLDER.parent_id, FOLDER.deleted).where(FOLDER.id == bindparam("folder_id"))
)


class LockedSite(Struct, frozen=True):
    """A site whose row is locked until the call ends: no other call adds a page to it."""

    id: int
    domain: str | None


# Locked until the call ends, so that two calls cannot give new pages of a site the same code.
_SITE = select(SITE.id, SITE.domain).with_for_update(key_share=True)
_LOCK = Prepared(_SITE.where(SITE.id == bindparam("site_id")), LockedSite)
# Locked in the order of ids, so that two moves between sites cannot deadlock.
_LOCK_SEVERAL = Prepared(_SITE.where(one_of(SITE.id, "site_ids")).order_by(SITE.id), LockedSite)


def require_code(code: str) -> str:
    """Check a caller's page code; return it normalised, without surrounding spaces (P1).

    Raises `SlashIsNotAllowed`, `CantBeEmpty` or `WrongCodeFormat`; the last also for `.` and `..`,
    which browsers remove from addresses, and for more than 255 characters.
    """
    code = spelt(code).strip()
    if "/" in code:
        raise SlashIsNotAllowed
    if not code:
        raise CantBeEmpty
    if _REFUSED.fullmatch(code):
        raise WrongCodeFormat
    if code in {".", ".."}:
        raise WrongCodeFormat("A page's address must not be `.` or `..`.")
    if len(code) > LONGEST:
        raise WrongCodeFormat(f"A page's address must not be longer than {LONGEST} characters.")
    return code


def page_code(code: str, title: str, *, may_be_empty: bool) -> str:
    """Check a caller's page code as `require_code` does; return it normalised (P1).

    An empty code that `may_be_empty` counts as absent: the code is made of the title (P2).
    """
    if may_be_empty and not spelt(code).strip():
        return generate_code(title)
    return require_code(code)


def generate_code(title: str) -> str:
    """Make a code of a title: transliterated, or random where no letter or digit is left (P2)."""
    return transliterated(title) or _random(12, string.ascii_lowercase + string.digits)


def transliterated(title: str) -> str:
    """Make a code of a title's letters and digits; empty where it has none (P2)."""
    code = _NOT_IN_A_CODE.sub("-", anyascii(title[:_LONGEST_READ]).lower()).strip("-")
    code = code[:_LONGEST_GENERATED].strip("-")
    if _REFUSED.fullmatch(code):
        code = code.replace("_", "-")
    return code


def in_trash(connection: Connection, folder_id: int | None) -> bool:
    """Tell whether a folder, or a folder above it, is in the trash or removed; the root is not.

    While an undo is checked, folders may contain each other in a circle: each is read once.
    """
    visited: set[int] = set()
    while folder_id is not None and folder_id not in visited:
        visited.add(folder_id)
        parent_id, deleted = _STATE.first(connection, folder_id=folder_id) or (None, True)
        if deleted:
            return True
        folder_id = parent_id
    return False


def lock_sites(connection: Connection, site_ids: Collection[int]) -> dict[int, LockedSite]:
    """Lock sites before anything is written; return them by id, without removed ones."""
    sites = _LOCK_SEVERAL.all(connection, site_ids=list(site_ids))
    return {site.id: site for site in sites}


def free_code(
    connection: Connection,
    site_id: int,
    folder_id: int | None,
    code: str,
    page_id: int = 0,
    *,
    own_folder: int = 0,
    locked: LockedSite | None = None,
) -> str:
    """Return `code`, with `_` and four random letters behind it if it is taken (P3).

    A code is taken by another page than `page_id` in the same folder and outside the trash, by
    another folder than `own_folder` there, whose address would be the same, and at the root of a
    site with a domain by the service's own addresses. A code that becomes too long is cut. The
    site's row is locked until the call ends, unless it is `locked` already. Raises `SiteNotFound`.
    Where the site was not `locked`, a folder in the trash raises `FolderNotFound`.
    """
    site = locked or _LOCK.first(connection, site_id=site_id)
    if site is None:
        raise SiteNotFound  # the site was removed meanwhile
    if locked is None and in_trash(connection, folder_id):
        raise FolderNotFound  # the folder was trashed meanwhile
    has_domain = site.domain is not None
    reserved = RESERVED if has_domain and folder_id is None else frozenset()
    free = code
    own = {"page_id": page_id, "own_folder": own_folder}
    while free in reserved or is_taken(connection, site_id, folder_id, free, **own):
        free = f"{code[: LONGEST - 5]}_{_random(4, string.ascii_lowercase)}"
    return free


def is_taken(
    connection: Connection,
    site_id: int,
    folder_id: int | None,
    code: str,
    *,
    page_id: int = 0,
    own_folder: int = 0,
) -> bool:
    """Tell whether a page outside the trash, or a folder, has a code in a folder (P3).

    The page `page_id` and the folder `own_folder` do not count. A folder in the trash keeps its
    code.
    """
    named: dict[str, Any] = {"site_id": site_id, "code": code, "page_id": page_id}
    named["own_folder"] = own_folder
    if folder_id is None:
        return _HOLDERS_AT_ROOT.first(connection, **named) is not None
    return _HOLDERS_IN_FOLDER.first(connection, **named, folder_id=folder_id) is not None


def _random(length: int, alphabet: str) -> str:
    return "".join(secrets.choice(alphabet) for _ in range(length))

"""Checks and generates page codes, the last segments of page addresses (P1 to P3)."""

import re
import secrets
import string
from collections.abc import Collection
from typing import Any

from anyascii import anyascii
from sqlalchemy import Connection, bindparam, or_, select, union_all

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
_IN_FOLDER = (
    _PAGE.where(PAGE.folder_id == bindparam("folder_id")),
    _FOLDER.where(FOLDER.parent_id == bindparam("folder_id")),
)
# Two statements: PostgreSQL uses no index for a condition in which NULL may equal NULL.
_HOLDERS_IN_FOLDER = Prepared(union_all(*_IN_FOLDER))
_HOLDERS_AT_ROOT = Prepared(
    union_all(_PAGE.where(PAGE.folder_id.is_(None)), _FOLDER.where(FOLDER.parent_id.is_(None)))
)
_STATE = Prepared(
    select(FOLDER.parent_id, FOLDER.deleted).where(FOLDER.id == bindparam("folder_id"))
)
_NEW_PLACE = FOLDER.id.table.alias().c
_NEW_PLACE_AND_HOLDER = Prepared(
    select(_NEW_PLACE.parent_id, or_(*(holder.exists() for holder in _IN_FOLDER))).where(
        _NEW_PLACE.id == bindparam("folder_id"),
        _NEW_PLACE.site_id == bindparam("site_id"),
        ~_NEW_PLACE.deleted,
    )
)
_HAS_DOMAIN = Prepared(
    select(SITE.id).where(SITE.id == bindparam("site_id"), SITE.domain.is_not(None)), int
)
# Locked until the call ends, so that two calls cannot give new pages of a site the same code.
_SITE = select(SITE.id).with_for_update(key_share=True)
_LOCK = Prepared(_SITE.where(SITE.id == bindparam("site_id")), int)
# Locked in the order of ids, so that two moves between sites cannot deadlock.
_LOCK_SEVERAL = Prepared(_SITE.where(one_of(SITE.id, "site_ids")).order_by(SITE.id), int)


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


def lock_sites(connection: Connection, site_ids: Collection[int]) -> list[int]:
    """Lock sites before anything is written; return the ids of those that still exist."""
    return _LOCK_SEVERAL.all(connection, site_ids=list(site_ids))


def free_code(
    connection: Connection,
    site_id: int,
    folder_id: int | None,
    code: str,
    page_id: int = 0,
    *,
    own_folder: int = 0,
    is_locked: bool = False,
    check_folder: bool = True,
) -> str:
    """Return `code`, with `_` and four random letters behind it if it is taken (P3).

    A code is taken by another page than `page_id` in the same folder and outside the trash, by
    another folder than `own_folder` there, whose address would be the same, and at the root of a
    site with a domain by the service's own addresses. A code that becomes too long is cut. The
    site's row is locked until the call ends, unless the call has locked it. Raises `SiteNotFound`.
    With `check_folder`, raises `FolderNotFound` unless the folder is one of the site's, outside the
    trash.
    """
    if not is_locked and _LOCK.first(connection, site_id=site_id) is None:
        raise SiteNotFound  # the site was removed meanwhile
    own = {"page_id": page_id, "own_folder": own_folder}
    if check_folder and folder_id is not None:
        taken = _is_taken_in_live_folder(connection, site_id, folder_id, code, **own)
    else:
        taken = is_taken(connection, site_id, folder_id, code, **own)
    free = code
    while taken or _is_reserved(connection, site_id, folder_id, free):
        free = f"{code[: LONGEST - 5]}_{_random(4, string.ascii_lowercase)}"
        taken = is_taken(connection, site_id, folder_id, free, **own)
    return free


def _is_taken_in_live_folder(
    connection: Connection, site_id: int, folder_id: int, code: str, **own: int
) -> bool:
    """Tell what `is_taken` tells; raises `FolderNotFound` unless the site has the folder.

    A folder in the trash counts as none, and so does a folder below one in the trash.
    """
    if not 0 < folder_id <= BIGGEST_ID:
        raise FolderNotFound  # no folder can have this id (C5)
    # Read together, after the site is locked: a folder that was trashed meanwhile is seen as such.
    found = _NEW_PLACE_AND_HOLDER.first(
        connection, site_id=site_id, folder_id=folder_id, code=code, **own
    )
    if found is None or in_trash(connection, found[0]):
        raise FolderNotFound
    return bool(found[1])


def _is_reserved(connection: Connection, site_id: int, folder_id: int | None, code: str) -> bool:
    if folder_id is not None or code not in RESERVED:
        return False
    return _HAS_DOMAIN.first(connection, site_id=site_id) is not None


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

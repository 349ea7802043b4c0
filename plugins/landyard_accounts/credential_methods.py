"""The work shared by the methods of webhooks and of tokens: list, add, update, rotate, revoke."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from landyard import ADMIN, Call, NeededId, Paged, Settings, WrongType, credentials, read_page
from landyard_accounts import creation, rotation
from landyard_accounts.group import (
    AccountRefused,
    CredentialNotFound,
    hold_administrators,
    require_way_back,
)
from landyard_accounts.rows import CredentialClass, all_rows, noun, revoke

YEAR = 24 * 366  # in hours


class ListCredentials(Struct, frozen=True):
    """`start`: the offset of the first row to answer."""

    start: int = 0


class AddCredential(Struct, frozen=True):
    """`user_id`: a user's id; `scopes`: the credential's permission scopes, such as `landing`.

    `title`: a note on its purpose. `hours`: hours until it expires; it never does by default.
    """

    user_id: NeededId
    scopes: list[str] = []
    title: str = ""
    hours: Annotated[int, Meta(ge=1, le=YEAR * 100)] | None = None


class UpdateCredential(Struct, frozen=True):
    """`id`: its id. Fields left out stay; `hours` count from now, and 0 means it never expires."""

    id: NeededId
    scopes: list[str] | UnsetType = UNSET
    title: str | UnsetType = UNSET
    hours: Annotated[int, Meta(ge=0, le=YEAR * 100)] | None = None


class RotateCredential(Struct, frozen=True):
    """`id`: its id; `overlap`: hours for which the old one still works; 0 ends it at once."""

    id: NeededId
    overlap: Annotated[int, Meta(ge=0, le=YEAR)] = 24


class OfCredential(Struct, frozen=True):
    """`id`: its id."""

    id: NeededId


class ListedCredential(Struct, frozen=True):
    """A webhook or token, without its secret.

    Without `expires_at` it works until it is revoked; `last_used_at` is exact to the minute;
    `replaced_by` is the id of its successor after a rotation.
    """

    id: int
    user_id: int
    scopes: list[str]
    title: str
    active: bool
    expires_at: datetime | None
    last_used_at: datetime | None
    replaced_by: int | None


def list_credentials(call: Call, kind: CredentialClass, start: int) -> Paged[ListedCredential]:
    """Return a page of the credentials of a kind, sorted by id."""

    def listed(row: Any) -> ListedCredential:
        return ListedCredential(**{**row._asdict(), "scopes": row.scopes.split()})

    return read_page(call.connection, all_rows(kind), start, listed)


def add_credential(call: Call, kind: CredentialClass, params: AddCredential) -> creation.Issued:
    """Add a credential with a new secret; raises `UserNotFound` and `WrongType`."""
    scopes = _scopes(params.scopes)
    user = call.session.get(credentials.User, params.user_id)
    if user is None:
        raise credentials.UserNotFound
    values: dict[str, Any] = {"scopes": scopes, "title": params.title}
    if params.hours is not None:
        values["expires_at"] = call.now() + timedelta(hours=params.hours)
    issued = creation.issue(call.session, kind, params.user_id, **values)
    call.subject = _subject(kind, issued.row_id)
    if ADMIN in params.scopes and not user.admin:
        call.warn(f"the scope {ADMIN} counts for administrators alone, and this user is none")
    return issued


def update_credential(call: Call, kind: CredentialClass, params: UpdateCredential) -> bool:
    """Change a credential; raises `CredentialNotFound`, `WrongType` and `LastAdministrator`."""
    call.subject = _subject(kind, params.id)
    hold_administrators(call)
    row = call.session.get(kind, params.id, with_for_update=True)
    if row is None:
        raise CredentialNotFound
    if not isinstance(params.title, UnsetType):
        row.title = params.title
    if not isinstance(params.scopes, UnsetType):
        row.scopes = _scopes(params.scopes)
    if params.hours is not None:
        row.expires_at = call.now() + timedelta(hours=params.hours) if params.hours else None
    require_way_back(call)
    return True


def rotate_credential(
    call: Call, kind: CredentialClass, params: RotateCredential
) -> rotation.Successor:
    """Replace a credential; raises `CredentialNotFound` and `AccountRefused`."""
    call.subject = _subject(kind, params.id)
    lasting = timedelta(hours=params.overlap)
    try:
        successor = rotation.rotate(call.session, kind, params.id, now=call.now(), overlap=lasting)
    except credentials.Refused as refused:
        raise AccountRefused(f"{refused}.") from refused
    if successor is None:
        raise CredentialNotFound(f"No {noun(kind)} of this id still works.")
    return successor


def revoke_credential(call: Call, kind: CredentialClass, row_id: int) -> bool:
    """Revoke a credential; raises `CredentialNotFound` and `LastAdministrator`."""
    call.subject = _subject(kind, row_id)
    hold_administrators(call)
    if not revoke(call.session, kind, row_id):
        raise CredentialNotFound
    require_way_back(call)
    return True


def address(call: Call, issued: creation.Issued) -> str:
    """Return the address of a new webhook, to which method names are appended."""
    return creation.webhook_address(call.settings(Settings).base, issued)


def _scopes(scopes: Sequence[str]) -> str:
    for index, scope in enumerate(scopes):
        if not credentials.usable_scope(scope):
            raise WrongType.of(f"scopes[{index}]", "one word, such as landing", scope)
    return " ".join(scopes)


def _subject(kind: CredentialClass, row_id: int) -> str:
    return f"{noun(kind)}:{row_id}"

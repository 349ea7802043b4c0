"""`landyard.token.list`, `add`, `update`, `rotate`, `revoke`: management of access tokens."""

from datetime import datetime

from msgspec import Struct

from landyard import (
    Call,
    Example,
    Irreversible,
    MissingParams,
    Paged,
    Secret,
    WrongType,
    credentials,
)
from landyard_accounts.credential_methods import (
    AddCredential,
    ListCredentials,
    ListedCredential,
    OfCredential,
    RotateCredential,
    UpdateCredential,
    add_credential,
    list_credentials,
    revoke_credential,
    rotate_credential,
    update_credential,
)
from landyard_accounts.group import (
    AccountRefused,
    CredentialNotFound,
    LastAdministrator,
    accounts,
)

_FOUND = (MissingParams, WrongType, CredentialNotFound)


class NewToken(Struct, frozen=True):
    """A new token; `token` cannot be read again."""

    id: int
    token: str
    expires_at: datetime | None


class NextToken(Struct, frozen=True):
    """A new token; the old one, `replaces`, works until `replaced_until`."""

    id: int
    token: str
    expires_at: datetime | None
    replaces: int
    replaced_until: datetime


@accounts.method(
    "landyard.token.list",
    right="administrator",
    errors=[WrongType],
    example=Example(
        {},
        result=[],
    ),
)
def list_tokens(call: Call, params: ListCredentials) -> Paged[ListedCredential]:
    """List the tokens by their ids, also those that no longer work; without their secrets.

    At most 50 are answered; if more remain, the envelope carries `next` and `total`.
    """
    return list_credentials(call, credentials.Token, params.start)


@accounts.method(
    "landyard.token.add",
    right="administrator",
    writes=True,
    notes=[Irreversible(), Secret()],
    errors=[MissingParams, WrongType, credentials.UserNotFound],
    example=Example(
        {"user_id": 1, "scopes": ["landing"], "title": "page builder"},
        result={"id": 1, "token": "lyt_…", "expires_at": None},
    ),
)
def add_token(call: Call, params: AddCredential) -> NewToken:
    """Add a token for a user; only this answer has the token itself.

    Only a digest of it is kept. The scope `admin` counts while the user is an administrator.
    """
    issued = add_credential(call, credentials.Token, params)
    return NewToken(issued.row_id, issued.secret, issued.expires_at)


@accounts.method(
    "landyard.token.update",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[*_FOUND, LastAdministrator],
    example=Example({"id": 1, "title": "page builder"}, result=True),
)
def update_token(call: Call, params: UpdateCredential) -> bool:
    """Change a token's scopes, title or expiry.

    A revoked token stays revoked. A change is refused if nobody could take it back: an
    administrator with a webhook or token of scope `admin` must remain.
    """
    return update_credential(call, credentials.Token, params)


@accounts.method(
    "landyard.token.rotate",
    right="administrator",
    writes=True,
    notes=[Irreversible(), Secret()],
    errors=[*_FOUND, AccountRefused],
    example=Example(
        {"id": 1, "overlap": 1},
        result={
            "id": 1,
            "token": "lyt_…",
            "expires_at": None,
            "replaces": 1,
            "replaced_until": "2026-11-23T10:30:00Z",
        },
    ),
)
def rotate_token(call: Call, params: RotateCredential) -> NextToken:
    """Replace a token by a new one; the old one ends after the overlap.

    The user, the scopes and the title stay; the id changes. Only this answer has the new token
    itself. A token can be rotated once.
    """
    successor = rotate_credential(call, credentials.Token, params)
    new = (successor.row_id, successor.secret, successor.expires_at)
    return NextToken(*new, successor.replaces, successor.replaced_until)


@accounts.method(
    "landyard.token.revoke",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[*_FOUND, LastAdministrator],
    example=Example({"id": 1}, result=True),
)
def revoke_token(call: Call, params: OfCredential) -> bool:
    """Revoke a token; workers follow within a second.

    Refused if nobody could take it back, as in `landyard.token.update`.
    """
    return revoke_credential(call, credentials.Token, params.id)

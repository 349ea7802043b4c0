"""`landyard.token.list`, `add`, `update`, `rotate`, `revoke`: credentials of a header or field."""

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
from landyard_accounts.group import (
    AccountRefused,
    CredentialNotFound,
    LastAdministrator,
    accounts,
)
from landyard_accounts.issuing import (
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

_FOUND = (MissingParams, WrongType, CredentialNotFound)


class NewToken(Struct, frozen=True):
    """A token just made; its token is told this once."""

    id: int
    token: str
    expires_at: datetime | None


class NextToken(Struct, frozen=True):
    """A token just made; the one that it `replaces` is good until `replaced_until`."""

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

    At most 50 are answered; where more remain the envelope carries `next` and `total`.
    """
    return list_credentials(call, credentials.TOKEN, params.start)


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
    """Add a token for a user; its token is in the answer, this once.

    Only a digest of it is kept. The scope `admin` counts while the user is an administrator.
    """
    made = add_credential(call, credentials.TOKEN, params)
    return NewToken(made.row_id, made.secret, made.expires_at)


@accounts.method(
    "landyard.token.update",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[*_FOUND, LastAdministrator],
    example=Example({"id": 1, "title": "page builder"}, result=True),
)
def update_token(call: Call, params: UpdateCredential) -> bool:
    """Change what a token may do, what it is for, or until when it is good.

    One that is revoked stays so. It is refused where nobody would be left to take it back: no
    administrator with a webhook or token that has the scope `admin`.
    """
    return update_credential(call, credentials.TOKEN, params)


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
    """Replace a token by a new one, and let the old one end soon.

    The user, the scopes and the title stay; the id does not. The new token is in the answer,
    this once. One that was rotated before is refused.
    """
    made = rotate_credential(call, credentials.TOKEN, params)
    told = (made.row_id, made.secret, made.expires_at)
    return NextToken(*told, made.replaces, made.replaced_until)


@accounts.method(
    "landyard.token.revoke",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[*_FOUND, LastAdministrator],
    example=Example({"id": 1}, result=True),
)
def revoke_token(call: Call, params: OfCredential) -> bool:
    """Switch a token off; workers follow within a second.

    It is refused where nobody would be left to take it back, as `landyard.token.update` is.
    """
    return revoke_credential(call, credentials.TOKEN, params.id)

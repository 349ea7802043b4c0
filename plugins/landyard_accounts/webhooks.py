"""`landyard.webhook.list`, `add`, `update`, `rotate`, `revoke`: credentials of a call's path."""

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
    address,
    list_credentials,
    revoke_credential,
    rotate_credential,
    update_credential,
)

_FOUND = (MissingParams, WrongType, CredentialNotFound)


class NewWebhook(Struct, frozen=True):
    """A webhook just made; its address is told this once."""

    id: int
    address: str
    expires_at: datetime | None


class NextWebhook(Struct, frozen=True):
    """A webhook just made; the one that it `replaces` is good until `replaced_until`."""

    id: int
    address: str
    expires_at: datetime | None
    replaces: int
    replaced_until: datetime


@accounts.method(
    "landyard.webhook.list",
    right="administrator",
    errors=[WrongType],
    example=Example(
        {},
        result=[
            {
                "id": 1,
                "user_id": 1,
                "scopes": ["landing", "user"],
                "title": "",
                "active": True,
                "expires_at": None,
                "last_used_at": None,
                "replaced_by": None,
            }
        ],
    ),
)
def list_webhooks(call: Call, params: ListCredentials) -> Paged[ListedCredential]:
    """List the webhooks by their ids, also those that no longer work; without their secrets.

    At most 50 are answered; where more remain the envelope carries `next` and `total`.
    """
    return list_credentials(call, credentials.WEBHOOK, params.start)


@accounts.method(
    "landyard.webhook.add",
    right="administrator",
    writes=True,
    notes=[Irreversible(), Secret()],
    errors=[MissingParams, WrongType, credentials.UserNotFound],
    example=Example(
        {"user_id": 1, "scopes": ["landing"], "title": "page builder"},
        result={"id": 2, "address": "http://127.0.0.1:8000/rest/1/…/", "expires_at": None},
    ),
)
def add_webhook(call: Call, params: AddCredential) -> NewWebhook:
    """Add a webhook for a user; its address is in the answer, this once.

    Only a digest of it is kept. The scope `admin` counts while the user is an administrator.
    """
    made = add_credential(call, credentials.WEBHOOK, params)
    return NewWebhook(made.row_id, address(call, made), made.expires_at)


@accounts.method(
    "landyard.webhook.update",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[*_FOUND, LastAdministrator],
    example=Example({"id": 1, "title": "page builder"}, result=True),
)
def update_webhook(call: Call, params: UpdateCredential) -> bool:
    """Change what a webhook may do, what it is for, or until when it is good.

    One that is revoked stays so. It is refused where nobody would be left to take it back: no
    administrator with a webhook or token that has the scope `admin`.
    """
    return update_credential(call, credentials.WEBHOOK, params)


@accounts.method(
    "landyard.webhook.rotate",
    right="administrator",
    writes=True,
    notes=[Irreversible(), Secret()],
    errors=[*_FOUND, AccountRefused],
    example=Example(
        {"id": 1, "overlap": 1},
        result={
            "id": 2,
            "address": "http://127.0.0.1:8000/rest/1/…/",
            "expires_at": None,
            "replaces": 1,
            "replaced_until": "2026-11-23T10:30:00Z",
        },
    ),
)
def rotate_webhook(call: Call, params: RotateCredential) -> NextWebhook:
    """Replace a webhook by a new one, and let the old one end soon.

    The user, the scopes and the title stay; the id does not. The new address is in the answer,
    this once. One that was rotated before is refused.
    """
    made = rotate_credential(call, credentials.WEBHOOK, params)
    told = (made.row_id, address(call, made), made.expires_at)
    return NextWebhook(*told, made.replaces, made.replaced_until)


@accounts.method(
    "landyard.webhook.revoke",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[*_FOUND, LastAdministrator],
    example=Example({"id": 1}, result=True),
)
def revoke_webhook(call: Call, params: OfCredential) -> bool:
    """Switch a webhook off; workers follow within a second.

    It is refused where nobody would be left to take it back, as `landyard.webhook.update` is.
    """
    return revoke_credential(call, credentials.WEBHOOK, params.id)

"""`landyard.webhook.list`, `add`, `update`, `rotate`, `revoke`: management of webhooks."""

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
    address,
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


class NewWebhook(Struct, frozen=True):
    """A new webhook; `address` cannot be read again."""

    id: int
    address: str
    expires_at: datetime | None


class NextWebhook(Struct, frozen=True):
    """A new webhook; the old one, `replaces`, works until `replaced_until`."""

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

    At most 50 are answered; if more remain, the envelope carries `next` and `total`.
    """
    return list_credentials(call, credentials.Webhook, params.start)


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
    """Add a webhook for a user; only this answer has its address.

    Only a digest of it is kept. The scope `admin` counts while the user is an administrator.
    """
    issued = add_credential(call, credentials.Webhook, params)
    return NewWebhook(issued.row_id, address(call, issued), issued.expires_at)


@accounts.method(
    "landyard.webhook.update",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[*_FOUND, LastAdministrator],
    example=Example({"id": 1, "title": "page builder"}, result=True),
)
def update_webhook(call: Call, params: UpdateCredential) -> bool:
    """Change a webhook's scopes, title or expiry.

    A revoked webhook stays revoked. A change is refused if nobody could take it back: an
    administrator with a webhook or token of scope `admin` must remain.
    """
    return update_credential(call, credentials.Webhook, params)


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
    """Replace a webhook by a new one; the old one ends after the overlap.

    The user, the scopes and the title stay; the id changes. Only this answer has the new address. A
    webhook can be rotated once.
    """
    successor = rotate_credential(call, credentials.Webhook, params)
    new = (successor.row_id, address(call, successor), successor.expires_at)
    return NextWebhook(*new, successor.replaces, successor.replaced_until)


@accounts.method(
    "landyard.webhook.revoke",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[*_FOUND, LastAdministrator],
    example=Example({"id": 1}, result=True),
)
def revoke_webhook(call: Call, params: OfCredential) -> bool:
    """Revoke a webhook; workers follow within a second.

    Refused if nobody could take it back, as in `landyard.webhook.update`.
    """
    return revoke_credential(call, credentials.Webhook, params.id)

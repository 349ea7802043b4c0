"""The kernel's own lists of the world file: users, webhooks and tokens."""

from collections.abc import Iterable
from datetime import datetime

from msgspec import UNSET, Struct, UnsetType
from sqlmodel import Session, SQLModel, select

from landyard.credentials import Token, User, Webhook, digest, usable_scope, usable_secret
from landyard.secret import mistyped
from landyard.world import Loader, RowId, WorldList, given


class UserItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: RowId | UnsetType = UNSET
    name: str | UnsetType = UNSET
    admin: bool | UnsetType = UNSET
    active: bool | UnsetType = UNSET


class WebhookItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    user: RowId
    code: str
    scopes: list[str] | UnsetType = UNSET
    title: str | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    expires_at: datetime | None | UnsetType = UNSET


class TokenItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    user: RowId
    token: str
    scopes: list[str] | UnsetType = UNSET
    title: str | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    expires_at: datetime | None | UnsetType = UNSET


def load_user(loader: Loader, item: UserItem, path: str) -> int:
    key = {"name": item.name} if item.id is UNSET and item.name is not UNSET else {"id": item.id}
    values = {"name": item.name, "admin": item.admin, "active": item.active}
    user_id = loader.save(User, {k: given(v, None) for k, v in key.items()}, values)
    loader.once(User, user_id, path)
    return user_id


def load_webhook(loader: Loader, item: WebhookItem, path: str) -> None:
    _save(loader, Webhook, item.code, f"{path}.code", path, item)


def load_token(loader: Loader, item: TokenItem, path: str) -> None:
    _save(loader, Token, item.token, f"{path}.token", path, item)


def _save(  # noqa: PLR0917 - one row, said in full
    loader: Loader,
    table: type[SQLModel],
    secret: str,
    secret_path: str,
    path: str,
    item: WebhookItem | TokenItem,
) -> None:
    if not usable_secret(secret):
        loader.refuse(secret_path, "must be 16 to 256 of the characters A-Z a-z 0-9 . _ ~ -")
    if mistyped(secret):
        loader.refuse(secret_path, "looks like a secret made here, but its checksum is wrong")
    loader.need_moment(item.expires_at, f"{path}.expires_at")
    loader.need(User, item.user, f"{path}.user", "user")
    for index, scope in enumerate(given(item.scopes, [])):
        if not usable_scope(scope):
            loader.refuse(f"{path}.scopes[{index}]", "must be a word: no spaces, not empty")
    scopes = UNSET if isinstance(item.scopes, UnsetType) else " ".join(item.scopes)
    values = {
        "user_id": item.user,
        "scopes": scopes,
        "title": item.title,
        "active": item.active,
        "expires_at": item.expires_at,
    }
    loader.save(table, {"digest": digest(secret)}, values)


def dump_users(session: Session) -> Iterable[UserItem]:
    for user in session.exec(select(User).order_by(User.id)):  # type: ignore[arg-type]
        assert user.id is not None
        yield UserItem(id=user.id, name=user.name, admin=user.admin, active=user.active)


def dump_nothing(_session: Session) -> Iterable[Struct]:
    """Secrets cannot be dumped: only their digests are kept."""
    return ()


ACCOUNTS = [
    WorldList(name="users", item=UserItem, load=load_user, dump=dump_users),
    WorldList(name="webhooks", item=WebhookItem, load=load_webhook, dump=dump_nothing),
    WorldList(name="tokens", item=TokenItem, load=load_token, dump=dump_nothing),
]

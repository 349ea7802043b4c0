"""Loads users, webhooks and tokens from world files (JSON); dumps users, and no secrets."""

import re
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any

from msgspec import UNSET, Struct, UnsetType, convert, structs
from sqlalchemy import Table, select

from landyard.auth.credentials import TOKEN, USER, WEBHOOK, digest, mistyped, usable_scope
from landyard.storage.spelling import spelt
from landyard.storage.world import Loader, RowId, WorldList

USABLE_SECRET = re.compile(r"[A-Za-z0-9._~-]{16,256}")  # it must fit into a path


class UserItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: RowId | UnsetType = UNSET
    name: str | UnsetType = UNSET
    admin: bool | UnsetType = UNSET
    active: bool | UnsetType = UNSET

    def __post_init__(self) -> None:
        if isinstance(self.name, str):
            structs.force_setattr(self, "name", spelt(self.name))


class CredentialItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    user: RowId
    scopes: list[str] | UnsetType = UNSET
    title: str | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    expires_at: datetime | None | UnsetType = UNSET


class WebhookItem(CredentialItem, frozen=True, kw_only=True, forbid_unknown_fields=True):
    code: str


class TokenItem(CredentialItem, frozen=True, kw_only=True, forbid_unknown_fields=True):
    token: str


def load_user(loader: Loader, item: UserItem, path: str) -> int:
    key = {"name": item.name} if item.id is UNSET and item.name is not UNSET else {"id": item.id}
    values = {"name": item.name, "admin": item.admin, "active": item.active}
    user_id = loader.save(USER, {k: Loader.listed(v, None) for k, v in key.items()}, values)
    loader.once(USER, user_id, path)
    return user_id


def load_credential(
    table: Table, key: str, loader: Loader, item: CredentialItem, path: str
) -> None:
    secret = getattr(item, key)
    if not USABLE_SECRET.fullmatch(secret):
        loader.refuse(f"{path}.{key}", "must be 16 to 256 of the characters A-Z a-z 0-9 . _ ~ -")
    if mistyped(secret):
        loader.refuse(f"{path}.{key}", "looks like a secret made here, but its checksum is wrong")
    loader.need_moment(item.expires_at, f"{path}.expires_at")
    loader.need(USER, item.user, f"{path}.user", "user")
    for index, scope in enumerate(Loader.listed(item.scopes, [])):
        if not usable_scope(scope):
            loader.refuse(f"{path}.scopes[{index}]", "must be a word: no spaces, not empty")
    values = {
        "user_id": item.user,
        "scopes": UNSET if isinstance(item.scopes, UnsetType) else " ".join(item.scopes),
        "title": item.title,
        "active": item.active,
        "expires_at": item.expires_at,
    }
    loader.save(table, {"digest": digest(secret)}, values)


def dump_users(session: Any) -> Iterable[UserItem]:
    for user in session.execute(select(USER).order_by(USER.c.id)):
        yield convert(user, UserItem, from_attributes=True)


# Secrets are not dumped: only their digests are kept.
ACCOUNTS = [
    WorldList(name="users", item=UserItem, load=load_user, dump=dump_users),
    WorldList(name="webhooks", item=WebhookItem, load=partial(load_credential, WEBHOOK, "code")),
    WorldList(name="tokens", item=TokenItem, load=partial(load_credential, TOKEN, "token")),
]

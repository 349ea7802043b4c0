"""The accounts: users, webhooks and tokens, by the command line and by calls.

`landyard user`, `webhook` and `token` and the methods `landyard.user.list` and so on.
"""

from collections.abc import Iterable

from landyard import MethodGroup, hookimpl
from landyard_accounts import tokens, users, webhooks
from landyard_accounts.group import accounts

__all__ = ["tokens", "users", "webhooks"]


@hookimpl
def register_methods() -> MethodGroup:
    return accounts


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_accounts.commands import token, user, webhook  # a server needs no words

    return [user, webhook, token]

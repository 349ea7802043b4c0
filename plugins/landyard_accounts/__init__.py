"""Accounts: commands and methods to manage users, webhooks and tokens.

The commands are `landyard user`, `webhook` and `token`; the methods `landyard.user.list` etc.
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
    from landyard_accounts.commands import (
        token,
        user,
        webhook,
    )  # imported late: a server needs no commands

    return [user, webhook, token]

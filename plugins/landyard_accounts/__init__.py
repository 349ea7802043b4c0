"""The accounts: `landyard user`, `webhook` and `token`, which add, list, rotate and revoke."""

from collections.abc import Iterable

from landyard import hookimpl


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_accounts.commands import token, user, webhook  # a server needs no words

    return [user, webhook, token]

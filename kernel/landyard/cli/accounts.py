"""The words `user`, `webhook` and `token`."""

import math
from typing import Any

import click
from sqlalchemy import select, update

from landyard.app import Kernel
from landyard.cli.credentials import add, print_all, renew, show, switch_off, warn_of_scopes
from landyard.console import Console
from landyard.credentials import Issued, Token, User, Webhook, usable_scope
from landyard.params import BIGGEST_ID

ROW = click.IntRange(1, BIGGEST_ID)
YEAR = 24 * 366  # in hours


def _words(_context: object, _option: object, scopes: tuple[str, ...]) -> tuple[str, ...]:
    for scope in scopes:
        if not usable_scope(scope):
            raise click.BadParameter(f"'{scope}' is no scope: one word, e.g. landing")
    return scopes


def _number(_context: object, _option: object, hours: float | None) -> float | None:
    if hours is not None and math.isnan(hours):  # click's ranges let it through
        raise click.BadParameter("'nan' is no number of hours")
    return hours


scopes_option = click.option(
    "--scope",
    "scopes",
    multiple=True,
    callback=_words,
    help="A permission scope, e.g. landing; may be repeated.",
)
title_option = click.option("--title", default="", help="What it is for.")
hours_option = click.option(
    "--hours",
    type=click.FloatRange(0, YEAR * 100, min_open=True),
    callback=_number,
    help="How long it is good.",
)
overlap_option = click.option(
    "--overlap",
    type=click.FloatRange(0, YEAR),
    callback=_number,
    default=24,
    show_default=True,
    help="For how many hours the old one is still good; 0: not at all.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


@click.group()
def user() -> None:
    """Users, on whose behalf calls are made."""


@user.command("add")
@click.argument("name")
@click.option("--admin", is_flag=True, help="Give every right everywhere.")
@as_json
@click.pass_obj
def add_user(console: Console, name: str, admin: bool, as_json: bool) -> None:
    """Add a user and print the id."""
    with console.kernel() as kernel, kernel.store.session(writes=True) as session:
        made = User(name=name, admin=admin)
        session.add(made)
        session.flush()
        row = (made.id, name, admin)
    console.table(("id", "name", "admin"), [row], as_json=as_json)


@user.command("list")
@as_json
@click.pass_obj
def list_users(console: Console, as_json: bool) -> None:
    """List the users."""
    columns = ("id", "name", "admin", "active")
    with console.kernel() as kernel, kernel.store.session() as session:
        table: Any = User.__table__  # type: ignore[attr-defined]
        query = select(*(table.c[name] for name in columns)).order_by(table.c.id)
        rows = [tuple(row) for row in session.execute(query)]
    console.table(columns, rows, as_json=as_json)


@user.command("revoke")
@click.argument("user_id", type=ROW)
@click.pass_obj
def revoke_user(console: Console, user_id: int) -> None:
    """Make a user inactive: none of the user's webhooks and tokens works any more."""
    with console.kernel() as kernel, kernel.store.session(writes=True) as session:
        table: Any = User.__table__  # type: ignore[attr-defined]
        changed = session.execute(
            update(User).where(table.c.id == user_id).values(active=False).returning(table.c.id)
        )
        if changed.first() is None:
            raise click.ClickException(f"there is no user {user_id}")
    console.say(f"user {user_id} is inactive")


@click.group()
def webhook() -> None:
    """Inbound webhooks: credentials in the path of a call."""


@webhook.command("add")
@click.argument("user_id", type=ROW)
@scopes_option
@title_option
@hours_option
@as_json
@click.pass_obj
def add_webhook(  # noqa: PLR0917 - click gives each option its parameter
    console: Console,
    user_id: int,
    scopes: tuple[str, ...],
    title: str,
    hours: float | None,
    as_json: bool,
) -> None:
    """Add a webhook and print its address, this once."""
    with console.kernel() as kernel:
        made = add(kernel, Webhook, user_id, scopes, title, hours)
        warn_of_scopes(kernel, scopes)
        address = _address(kernel, made)
    show(console, made, "address", address, as_json=as_json)


@webhook.command("list")
@as_json
@click.pass_obj
def list_webhooks(console: Console, as_json: bool) -> None:
    """List the webhooks; their codes are not kept."""
    print_all(console, Webhook, as_json=as_json)


@webhook.command("rotate")
@click.argument("webhook_id", type=ROW)
@overlap_option
@as_json
@click.pass_obj
def rotate_webhook(console: Console, webhook_id: int, overlap: float, as_json: bool) -> None:
    """Give a webhook a new code, as another webhook, and let the old one end soon.

    The user, the scopes and the title stay; the id does not, and with it what logs and limits go
    by. Prints the new address, this once.
    """
    with console.kernel() as kernel:
        made = renew(kernel, Webhook, webhook_id, overlap)
        address = _address(kernel, made)
    show(console, made, "address", address, as_json=as_json)


@webhook.command("revoke")
@click.argument("webhook_id", type=ROW)
@click.pass_obj
def revoke_webhook(console: Console, webhook_id: int) -> None:
    """Switch a webhook off; running workers follow within a second."""
    switch_off(console, Webhook, webhook_id)


@click.group()
def token() -> None:
    """Access tokens: credentials in a header or field."""


@token.command("add")
@click.argument("user_id", type=ROW)
@scopes_option
@title_option
@hours_option
@as_json
@click.pass_obj
def add_token(  # noqa: PLR0917 - click gives each option its parameter
    console: Console,
    user_id: int,
    scopes: tuple[str, ...],
    title: str,
    hours: float | None,
    as_json: bool,
) -> None:
    """Add an access token and print it, this once."""
    with console.kernel() as kernel:
        made = add(kernel, Token, user_id, scopes, title, hours)
        warn_of_scopes(kernel, scopes)
    show(console, made, "token", made.secret, as_json=as_json)


@token.command("list")
@as_json
@click.pass_obj
def list_tokens(console: Console, as_json: bool) -> None:
    """List the access tokens; the tokens themselves are not kept."""
    print_all(console, Token, as_json=as_json)


@token.command("rotate")
@click.argument("token_id", type=ROW)
@overlap_option
@as_json
@click.pass_obj
def rotate_token(console: Console, token_id: int, overlap: float, as_json: bool) -> None:
    """Replace a token by a new one, and let the old one end soon.

    The user, the scopes and the title stay; the id does not, and with it what logs and limits go
    by. Prints the new token, this once.
    """
    with console.kernel() as kernel:
        made = renew(kernel, Token, token_id, overlap)
    show(console, made, "token", made.secret, as_json=as_json)


@token.command("revoke")
@click.argument("token_id", type=ROW)
@click.pass_obj
def revoke_token(console: Console, token_id: int) -> None:
    """Switch a token off; running workers follow within a second."""
    switch_off(console, Token, token_id)


def make_webhook(kernel: Kernel, user_id: int, scopes: tuple[str, ...], title: str) -> str:
    """Add a webhook and return its code, which is not kept."""
    return add(kernel, Webhook, user_id, scopes, title).secret


def _address(kernel: Kernel, made: Issued) -> str:
    return f"{kernel.settings.base}/rest/{made.user_id}/{made.secret}/"

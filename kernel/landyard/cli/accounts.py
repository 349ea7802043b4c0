"""The words `user`, `webhook` and `token`."""

from datetime import UTC, datetime, timedelta
from typing import Any

import click
from sqlalchemy import select, update

from landyard.app import Kernel
from landyard.console import Console
from landyard.credentials import Token, User, Webhook, digest, new_secret, revoke, usable_scope
from landyard.params import BIGGEST_ID

ROW = click.IntRange(1, BIGGEST_ID)


def _words(_context: object, _option: object, scopes: tuple[str, ...]) -> tuple[str, ...]:
    for scope in scopes:
        if not usable_scope(scope):
            raise click.BadParameter(f"'{scope}' is no scope: one word, e.g. landing")
    return scopes


scopes_option = click.option(
    "--scope",
    "scopes",
    multiple=True,
    callback=_words,
    help="A permission scope, e.g. landing; may be repeated.",
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
@click.option("--title", default="", help="What it is for.")
@as_json
@click.pass_obj
def add_webhook(
    console: Console, user_id: int, scopes: tuple[str, ...], title: str, as_json: bool
) -> None:
    """Add a webhook and print its address, this once."""
    with console.kernel() as kernel:
        secret = make_webhook(kernel, user_id, scopes, title)
        base = kernel.settings.base
    _show_once(console, "address", f"{base}/rest/{user_id}/{secret}/", as_json=as_json)


@webhook.command("list")
@as_json
@click.pass_obj
def list_webhooks(console: Console, as_json: bool) -> None:
    """List the webhooks; their codes are not kept."""
    _list(console, Webhook, ("id", "user_id", "scopes", "title", "active"), as_json)


@webhook.command("revoke")
@click.argument("webhook_id", type=ROW)
@click.pass_obj
def revoke_webhook(console: Console, webhook_id: int) -> None:
    """Switch a webhook off; running workers follow within a second."""
    _revoke(console, Webhook, "webhook", webhook_id)


@click.group()
def token() -> None:
    """Access tokens: credentials in a header or field."""


@token.command("add")
@click.argument("user_id", type=ROW)
@scopes_option
@click.option("--title", default="", help="What it is for.")
@click.option(
    "--hours", type=click.FloatRange(0, 24 * 366 * 100, min_open=True), help="How long it is good."
)
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
    expires = None if hours is None else datetime.now(UTC) + timedelta(hours=hours)
    secret = new_secret("token")
    with console.kernel() as kernel, kernel.store.session(writes=True) as session:
        _need_user(session, user_id)
        session.add(
            Token(
                user_id=user_id,
                digest=digest(secret),
                scopes=" ".join(scopes),
                title=title,
                expires_at=expires,
            )
        )
    _show_once(console, "token", secret, as_json=as_json)


@token.command("list")
@as_json
@click.pass_obj
def list_tokens(console: Console, as_json: bool) -> None:
    """List the access tokens; the tokens themselves are not kept."""
    columns = ("id", "user_id", "scopes", "title", "active", "expires_at")
    _list(console, Token, columns, as_json)


@token.command("revoke")
@click.argument("token_id", type=ROW)
@click.pass_obj
def revoke_token(console: Console, token_id: int) -> None:
    """Switch a token off; running workers follow within a second."""
    _revoke(console, Token, "token", token_id)


def make_webhook(kernel: Kernel, user_id: int, scopes: tuple[str, ...], title: str) -> str:
    """Add a webhook and return its code, which is not kept."""
    secret = new_secret("webhook")
    with kernel.store.session(writes=True) as session:
        _need_user(session, user_id)
        session.add(
            Webhook(user_id=user_id, digest=digest(secret), scopes=" ".join(scopes), title=title)
        )
    return secret


def _show_once(console: Console, name: str, secret: str, *, as_json: bool) -> None:
    """Print a secret on a line of its own, whole, so that it can be copied."""
    if as_json:
        console.table((name,), [(secret,)], as_json=True)
    else:
        console.say(f"{secret}\n(shown this once; only its digest is kept)")


def _need_user(session: Any, user_id: int) -> None:
    if session.get(User, user_id) is None:
        raise click.ClickException(f"there is no user {user_id}; see `landyard user list`")


def _list(
    console: Console, model: type[Webhook] | type[Token], columns: tuple[str, ...], as_json: bool
) -> None:
    with console.kernel() as kernel, kernel.store.session() as session:
        table: Any = model.__table__  # type: ignore[union-attr]
        query = select(*(table.c[name] for name in columns)).order_by(table.c.id)
        rows = [tuple(row) for row in session.execute(query)]
    console.table(columns, rows, as_json=as_json)


def _revoke(console: Console, model: type[Webhook] | type[Token], noun: str, row_id: int) -> None:
    with console.kernel() as kernel, kernel.store.session(writes=True) as session:
        if not revoke(session, model, row_id):
            raise click.ClickException(f"there is no {noun} {row_id}")
    console.say(f"{noun} {row_id} is revoked")

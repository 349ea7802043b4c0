"""A credential at the terminal: added, listed, rotated and revoked; its secret is shown once."""

from datetime import UTC, datetime, timedelta
from typing import Any

import click
from sqlalchemy import select

from landyard.app import Kernel
from landyard.console import Console
from landyard.credentials import Issued, Replaced, Token, User, Webhook, issue, revoke, rotate

Model = type[Webhook] | type[Token]
COLUMNS = ("id", "user_id", "scopes", "title", "active", "expires_at", "last_used_at")


def add(  # noqa: PLR0917 - what a credential is made of
    kernel: Kernel,
    model: Model,
    user_id: int,
    scopes: tuple[str, ...],
    title: str,
    hours: float | None = None,
) -> Issued:
    """Issue a credential for a user, for ever or some hours; fails where there is no such user."""
    expires = None if hours is None else _second(kernel) + timedelta(hours=hours)
    with kernel.store.session(writes=True) as session:
        if session.get(User, user_id) is None:
            raise click.ClickException(f"there is no user {user_id}; see `landyard user list`")
        return issue(
            session, model, user_id, scopes=" ".join(scopes), title=title, expires_at=expires
        )


def warn_of_scopes(kernel: Kernel, scopes: tuple[str, ...]) -> None:
    """Say on standard error what a new credential will not do: it may well be a slip."""
    there = {method.scope for method in kernel.methods if not method.general}
    listed = ", ".join(sorted(there)) or "none"
    if not scopes:
        _warn(f"without a scope it calls no method of: {listed}")
    for scope in sorted(set(scopes) - there):
        _warn(f"no method that is on has the scope '{scope}'; there are: {listed}")


def renew(kernel: Kernel, model: Model, row_id: int, overlap: float) -> Issued:
    """Rotate a credential with so many hours of overlap; fails where it is not good any more."""
    noun = _noun(model)
    lasting = timedelta(hours=overlap)
    try:
        with kernel.store.session(writes=True) as session:
            made = rotate(session, model, row_id, now=_second(kernel), overlap=lasting)
    except Replaced as error:
        raise click.ClickException(str(error)) from error
    if made is None:
        raise click.ClickException(
            f"there is no {noun} {row_id} that is still good; see `landyard {noun} list`"
        )
    return made


def show(console: Console, made: Issued, name: str, secret: str, *, as_json: bool) -> None:
    """Print a secret on a line of its own, whole, so that it can be copied; never again."""
    if as_json:
        shown = {"id": made.row_id, name: secret, "expires_at": made.expires_at}
        if made.replaces is not None:
            shown |= {"replaces": made.replaces, "replaced_until": made.replaced_until}
        console.table(tuple(shown), [tuple(shown.values())], as_json=True)
        return
    console.say(f"{secret}\n(shown this once; only its digest is kept)")
    if made.replaced_until is not None:
        console.say(
            f"id {made.row_id} takes the place of id {made.replaces},"
            f" which ends at {_written(made.replaced_until)}"
        )
        if made.expires_at is not None:
            console.say(f"id {made.row_id} ends at {_written(made.expires_at)}")


def print_all(console: Console, model: Model, *, as_json: bool) -> None:
    """List all credentials of a kind, those that are off too."""
    with console.kernel() as kernel, kernel.store.session() as session:
        table: Any = model.__table__  # type: ignore[union-attr]
        columns = (*COLUMNS, "replaced_by") if as_json else COLUMNS
        query = select(*(table.c[name] for name in columns)).order_by(table.c.id)
        rows = [(*row[:2], row.scopes.split(), *row[3:]) for row in session.execute(query)]
    console.table(columns, rows, as_json=as_json)


def switch_off(console: Console, model: Model, row_id: int) -> None:
    """Revoke a credential and say so; fails where there is none with this id."""
    noun = _noun(model)
    with console.kernel() as kernel, kernel.store.session(writes=True) as session:
        if not revoke(session, model, row_id):
            raise click.ClickException(f"there is no {noun} {row_id}")
    console.say(f"{noun} {row_id} is revoked")


def _second(kernel: Kernel) -> datetime:
    return kernel.now().replace(microsecond=0)  # nobody reads more of a moment in a listing


def _noun(model: Model) -> str:
    return model.__name__.lower()


def _warn(text: str) -> None:
    click.echo(f"Warning: {text}", err=True)


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")

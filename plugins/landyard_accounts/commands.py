"""The commands `user`, `webhook` and `token`: add, list, revoke, and rotate a credential."""

import copy
from datetime import timedelta
from typing import Any

import click

from landyard import Console, credentials
from landyard_accounts import creation, rotation, rows
from landyard_accounts.credential_methods import YEAR

_ROW_ID = click.IntRange(1, 2**31 - 1)
_KIND = "landyard.kind"

pass_kind = click.decorators.pass_meta_key(_KIND, doc_description="what the command is about")


def _check_scopes(_context: object, _option: object, scopes: tuple[str, ...]) -> tuple[str, ...]:
    for scope in scopes:
        if not credentials.usable_scope(scope):
            raise click.BadParameter(f"'{scope}' is no scope: give one word, e.g. landing")
    return scopes


@click.command("add")
@click.argument("name")
@click.option(
    "--admin", is_flag=True, help="Make the user an administrator, with every right everywhere."
)
@Console.json_option
@click.pass_obj
def add_user(console: Console, name: str, admin: bool, as_json: bool) -> None:
    """Add a user with a unique name, and print the id."""
    with console.host() as host, host.store.unit(writes=True) as unit:
        user_id = creation.add_user(unit.session, name, admin=admin)
        console.record(host, unit, f"user:{user_id}")
    console.table(("id", "name", "admin"), [(user_id, name.strip(), admin)], as_json=as_json)


@click.command("add")
@click.argument("user_id", type=_ROW_ID)
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    callback=_check_scopes,
    help="A permission scope of the credential, e.g. landing; may be repeated.",
)
@click.option("--title", default="", help="A note on its purpose.")
@click.option(
    "--hours", type=click.IntRange(1, YEAR * 100), help="Hours until it expires; never by default."
)
@Console.json_option
@pass_kind
@click.pass_obj
def add_credential(  # noqa: PLR0917 - click gives each option its parameter
    console: Console,
    kind: rows.CredentialClass,
    user_id: int,
    scopes: tuple[str, ...],
    title: str,
    hours: int | None,
    as_json: bool,
) -> None:
    """Add a NOUN for a user, and print its secret, once.

    It cannot be shown again.
    """
    with console.host() as host:
        values: dict[str, Any] = {"scopes": " ".join(scopes), "title": title}
        if hours is not None:
            values["expires_at"] = host.now() + timedelta(hours=hours)
        with host.store.unit(writes=True) as unit:
            if unit.session.get(credentials.User, user_id) is None:
                raise click.ClickException(f"there is no user {user_id}; see `landyard user list`")
            issued = creation.issue(unit.session, kind, user_id, **values)
            console.record(host, unit, f"{rows.noun(kind)}:{issued.row_id}")
        _show(console, host.settings.base, kind, issued, as_json=as_json)


@click.command("list")
@Console.json_option
@pass_kind
@click.pass_obj
def list_rows(console: Console, kind: rows.RowClass, as_json: bool) -> None:
    """List all NOUNs, also revoked ones."""
    query = rows.all_rows(kind)
    columns = query.selected_columns.keys()
    with console.without_others().host() as host, host.store.unit(writes=False) as unit:
        dicts = [row._asdict() for row in unit.connection.execute(query)]
    for row in dicts:
        if "scopes" in row:
            row["scopes"] = row["scopes"].split()
    console.table(columns, [list(row.values()) for row in dicts], as_json=as_json)


@click.command()
@click.argument("row_id", type=_ROW_ID, metavar="ID")
@click.option(
    "--overlap",
    type=click.IntRange(0, YEAR),
    default=24,
    show_default=True,
    help="Hours for which the old one still works; 0 ends it at once.",
)
@Console.json_option
@pass_kind
@click.pass_obj
def rotate(
    console: Console, kind: rows.CredentialClass, row_id: int, overlap: int, as_json: bool
) -> None:
    """Replace a NOUN by a new one; the old one soon ends.

    It ends after the overlap. The user, the scopes and the title stay. The id
    changes, so logs and limits see a new NOUN. Prints the new secret, which cannot be shown again.
    """
    lasting = timedelta(hours=overlap)
    with console.host() as host:
        with host.store.unit(writes=True) as unit:
            issued = rotation.rotate(unit.session, kind, row_id, now=host.now(), overlap=lasting)
            if issued is not None:
                console.record(host, unit, f"{rows.noun(kind)}:{row_id}")
        if issued is None:
            raise click.ClickException(f"there is no {rows.noun(kind)} {row_id} that still works")
        _show(console, host.settings.base, kind, issued, as_json=as_json)


@click.command()
@click.argument("row_id", type=_ROW_ID, metavar="ID")
@pass_kind
@click.pass_obj
def revoke(console: Console, kind: rows.RowClass, row_id: int) -> None:
    """Switch a NOUN off; running workers follow within a second."""
    with console.host() as host, host.store.unit(writes=True) as unit:
        if not rows.revoke(unit.session, kind, row_id):
            raise click.ClickException(f"there is no {rows.noun(kind)} {row_id}")
        console.record(host, unit, f"{rows.noun(kind)}:{row_id}")
    console.say(f"{rows.noun(kind)} {row_id} is revoked")


def _about(noun: str, *commands: click.Command) -> list[click.Command]:
    """Return copies of shared commands with the given noun in their help."""
    copies = [copy.copy(command) for command in commands]
    for each in copies:
        each.help = (each.help or "").replace("NOUN", noun)
    return copies


@click.group(commands=_about("user", add_user, list_rows, revoke))
@click.pass_context
def user(context: click.Context) -> None:
    """Users, on whose behalf calls are made.

    Webhooks and tokens of a revoked user do not work.
    """
    context.meta[_KIND] = credentials.User


@click.group(commands=_about("webhook", add_credential, list_rows, rotate, revoke))
@click.pass_context
def webhook(context: click.Context) -> None:
    """Inbound webhooks: credentials in the path of a call."""
    context.meta[_KIND] = credentials.Webhook


@click.group(commands=_about("token", add_credential, list_rows, rotate, revoke))
@click.pass_context
def token(context: click.Context) -> None:
    """Access tokens: credentials in a header or field."""
    context.meta[_KIND] = credentials.Token


def _show(
    console: Console,
    base: str,
    kind: rows.CredentialClass,
    issued: creation.Issued,
    *,
    as_json: bool,
) -> None:
    """Print a new credential, with the secret on its own line for copying."""
    is_webhook = kind is credentials.Webhook
    secret = creation.webhook_address(base, issued) if is_webhook else issued.secret
    if as_json:
        name = "address" if is_webhook else "token"
        columns = ("id", name, "expires_at", "replaces", "replaced_until")
        old: tuple[object, object] = (None, None)
        if isinstance(issued, rotation.Successor):
            old = (issued.replaces, issued.replaced_until)
        row = (issued.row_id, secret, issued.expires_at, *old)
        console.table(columns, [row], as_json=True)
        return
    console.say(f"{secret}\n(shown this once; only its digest is kept)")
    if isinstance(issued, rotation.Successor):
        ends = issued.replaced_until.isoformat(timespec="seconds")
        console.say(
            f"id {issued.row_id} takes the place of id {issued.replaces}, which ends at {ends}"
        )

"""`landyard app`: commands that add, list and revoke the apps that users can authorize."""

import click
from sqlalchemy import func, select

from landyard import Console, table_of
from landyard_oauth import apps
from landyard_oauth.endpoints import endpoints_of
from landyard_oauth.tables import App, Grant

_APP, _GRANT = table_of(App), table_of(Grant)
_COLUMNS = ("id", "client_id", "title", "redirect_uris", "scopes", "active", "users", "created_at")


@click.group()
def app() -> None:
    """Apps: they call methods for users who agreed (OAuth 2.0)."""


@app.command("add")
@click.argument("title")
@click.option(
    "--redirect-uri",
    "redirect_uris",
    multiple=True,
    required=True,
    help="The exact address for codes: https, or http on this machine; may be repeated.",
)
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    help="A permission scope that the app may ask for, e.g. landing; may be repeated.",
)
@Console.json_option
@click.pass_obj
def add_app(
    console: Console,
    title: str,
    redirect_uris: tuple[str, ...],
    scopes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Register an app, and print its client secret, once.

    It cannot be shown again.
    """
    with console.host() as host:
        with host.store.unit(writes=True) as unit:
            try:
                registered = apps.register(unit.session, title, redirect_uris, scopes, host.now())
            except apps.Refused as refused:
                raise click.ClickException(str(refused)) from refused
            console.record(host, unit, f"app:{registered.id}")
        base = endpoints_of(host).client_endpoint.removesuffix("/rest/")
    if as_json:
        columns = ("id", "client_id", "client_secret", "application_token")
        row = (
            registered.id,
            registered.client_id,
            registered.client_secret,
            registered.application_token,
        )
        console.table(columns, [row], as_json=True)
        return
    console.say(f"client_id      {registered.client_id}")
    console.say(f"client_secret  {registered.client_secret}")
    console.say("(the secret is shown this once; only its digest is kept)")
    console.say(f"application_token  {registered.application_token}\n(it comes with each event)")
    console.say(f"Users let it in at {base}/oauth/authorize/?client_id={registered.client_id}")


@app.command("list")
@Console.json_option
@click.pass_obj
def list_apps(console: Console, as_json: bool) -> None:
    """List the apps, without their secrets.

    `users` is the number of users who authorized each app.
    """
    users = (
        select(func.count(func.distinct(_GRANT.c.user_id)))
        .where(_GRANT.c.app_id == _APP.c.id)
        .scalar_subquery()
        .label("users")
    )
    columns = [users if name == "users" else _APP.c[name] for name in _COLUMNS]
    with console.without_others().host() as host, host.store.session() as session:
        rows = [row._asdict() for row in session.execute(select(*columns).order_by(_APP.c.id))]
    for row in rows:
        row |= {name: row[name].split() for name in ("redirect_uris", "scopes")}
    console.table(_COLUMNS, [list(row.values()) for row in rows], as_json=as_json)


@app.command()
@click.argument("app_id", type=click.IntRange(1, 2**31 - 1), metavar="ID")
@click.pass_obj
def revoke(console: Console, app_id: int) -> None:
    """Revoke an app for good, with all its tokens.

    Running workers follow within a second.
    """
    with console.host() as host, host.store.unit(writes=True) as unit:
        if not apps.revoke(unit.session, app_id):
            raise click.ClickException(f"there is no app {app_id}; see `landyard app list`")
        console.record(host, unit, f"app:{app_id}")
    console.say(f"app {app_id} is revoked")

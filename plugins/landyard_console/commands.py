"""The command `landyard console`: prints a link that signs a browser in once."""

import click
from sqlalchemy import select

from landyard import Console, credentials
from landyard_console.sessions import make_link

_USER = credentials.USER


@click.command()
@click.argument("user_id", type=click.IntRange(1, 2**31 - 1), required=False)
@click.pass_obj
def console(console: Console, user_id: int | None) -> None:
    """Print a link that signs a browser in to the console.

    It works once, for ten minutes. Without a USER_ID it signs in the first administrator.
    """
    first = select(_USER.c.id).where(_USER.c.active).order_by(_USER.c.id).limit(1)
    condition = _USER.c.admin if user_id is None else _USER.c.id == user_id
    with console.host() as host:
        with host.store.unit(writes=False) as unit:
            chosen_id = unit.connection.scalar(first.where(condition))
        if chosen_id is None:
            whom = "administrator" if user_id is None else f"user {user_id}"
            raise click.ClickException(f"there is no active {whom}; see `landyard user list`")
        link = make_link(host, chosen_id)
        host.store.run(lambda unit: console.record(host, unit, f"user:{chosen_id}"), writes=True)
        console.say(link)

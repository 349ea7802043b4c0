"""The demo of `serve --demo`: loads a site of three pages, and prints how to edit one."""

from collections.abc import Callable
from importlib.resources import files
from importlib.util import find_spec

import click
from sqlalchemy import select, update

from landyard import Console, Demo, Host, Record, credentials
from landyard_sitekit.commands.beginning import add_webhook
from landyard_sitekit.commands.program import program

USER = 1
SCOPES = ("landing", "user")
_TITLE = "landyard serve --demo"
_SWITCHED_ON = ("oauth", "apps")  # off by default, since their library is an extra
_TEXT = """
  Page     {base}/demo/
  Webhook  {webhook}
{notes}
  Edit the page's draft, and show the change to visitors:

    curl -s {webhook}landing.block.updatenodes.json \\
      -H 'Content-Type: application/json' \\
      -d '{"lid":10,"block":101,"data":{".landing-block-node-title":"Hello from curl"}}'

    {landyard} page publish 10
"""


class DemoNote(Record, frozen=True):
    """A plugin's lines in the text that the demo prints, behind the page and the webhook.

    `tell(host, user)` returns lines of a word, blanks and a value; `user` is the demo's user id.
    """

    name: str
    tell: Callable[[Host, int], str]

    @property
    def key(self) -> str:
        return self.name


def _show(console: Console, host: Host) -> None:
    """Load the demo once, renew its webhook, and print how to use it."""
    _load_once(host)
    base = host.settings.base
    with host.store.unit(writes=True) as unit:
        hook = add_webhook(base, unit.connection, USER, scopes=SCOPES, title=_TITLE)
    notes = "".join(f"  {each.tell(host, USER)}\n" for each in host.records(DemoNote).values())
    text = _TEXT.replace("{base}", base).replace("{webhook}", hook).replace("{notes}", notes)
    console.say(text.replace("{landyard}", program(host.settings.data)))


def _load_once(host: Host) -> None:
    """Revoke the last demo's webhook, and load the demo world into an empty service.

    A service with users of its own is refused: the demo must not overwrite rows.
    """
    hooks = credentials.WEBHOOK
    revoked = update(hooks).where(hooks.c.title == _TITLE).values(active=False)
    with host.store.unit(writes=True) as unit:
        loaded = unit.connection.execute(revoked.returning(hooks.c.id)).first() is not None
        in_use = unit.connection.execute(select(credentials.USER.c.id)).first() is not None
    if loaded:
        return
    if in_use:
        raise click.ClickException(
            "this service is in use; --demo needs a data directory of its own (LANDYARD_DATA)"
        )
    host.store.run(
        lambda unit: host.world.load(DEMO.world, unit.connection, host.now()), writes=True
    )
    if find_spec("authlib") is not None:
        _switch_on(host)


def _switch_on(host: Host) -> None:
    switchboard, now = host.plugins.switchboard, host.now()
    with host.store.unit(writes=True) as unit:
        lines = switchboard.status(now)
        for name in {line.plugin.name for line in lines}.intersection(_SWITCHED_ON):
            switchboard.switch(unit.connection, name, lines, is_on=True, at=now, by=_TITLE)
    host.plugins.refresh()


DEMO = Demo(
    world=(files("landyard_sitekit") / "demo.json").read_bytes(),
    show=_show,
)

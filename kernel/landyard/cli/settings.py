"""The command `settings`: prints the settings in force, and reports wrong ones."""

import click
from msgspec import structs

from landyard.cli.console import Console, unloadable
from landyard.kernel import Kernel, open_store
from landyard.plugin_host.switches import plugin_settings
from landyard.settings import Settings, SettingsError


@click.command()
@click.option("--check", is_flag=True, help="Only say what is wrong with them; exits with 1 then.")
@Console.json_option
@click.pass_obj
def settings(console: Console, check: bool, as_json: bool) -> None:
    """Show the settings in force; passwords stay hidden."""
    if check:
        _check(console)
        console.say("the settings are right")
        return
    with console.kernel(prepare=False) as kernel:
        shown = kernel.plugins.settings_in_force()
    console.table(("setting", "value"), list(shown.items()), as_json=as_json)


def _check(console: Console) -> None:
    wrong: tuple[str, ...] = ()
    try:
        right = console.settings()
    except SettingsError as error:
        right, wrong = error.right or Settings(), error.args
    rest = {name: each for name, each in right.plugins.items() if name != "plugins"}
    # An error in `[plugins]` or `database_url` would hide the errors in the plugins' sections. So
    # both are checked first, and a wrong one is taken out.
    for check, without in (plugin_settings, {"plugins": rest}), (open_store, {"database_url": ""}):
        try:
            check(right)
        except SettingsError as error:
            wrong, right = wrong + error.args, structs.replace(right, **without)
    try:
        Kernel(right, left_out=unloadable(right)).close()
    except SettingsError as error:
        wrong += error.args
    if wrong:
        raise SettingsError(*wrong)

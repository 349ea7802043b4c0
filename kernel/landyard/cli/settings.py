"""The command `settings`: shows those in force, and says which are wrong."""

from typing import Any

import click
import msgspec
from msgspec import structs
from sqlalchemy import make_url

from landyard.cli.console import Console, json_option, unloadable
from landyard.kernel import Kernel, open_store
from landyard.logs import SECRET_KEYS
from landyard.plugin_host.switches import plugin_settings
from landyard.settings import Settings, SettingsError


@click.command()
@click.option("--check", is_flag=True, help="Only say what is wrong with them; exits with 1 then.")
@json_option
@click.pass_obj
def settings(console: Console, check: bool, as_json: bool) -> None:
    """Show the settings in force; passwords stay hidden."""
    if check:
        _check(console)
        console.say("the settings are right")
        return
    with console.kernel(prepare=False) as kernel:
        shown = settings_in_force(kernel)
    console.table(("setting", "value"), list(shown.items()), as_json=as_json)


def settings_in_force(kernel: Kernel) -> dict[str, Any]:
    """Return the settings by name, a plugin's as `section.name`; secrets are hidden."""
    shown: dict[str, Any] = msgspec.to_builtins(kernel.settings, enc_hook=str)
    shown["database_url"] = make_url(kernel.settings.database).render_as_string(hide_password=True)
    del shown["plugins"], shown["file_sections"]
    for name, section in kernel.resolution.sections.items():
        plain = msgspec.to_builtins(section)
        hidden = {key: "…" for key in SECRET_KEYS & plain.keys() if plain[key]}
        shown |= {f"{name}.{key}": value for key, value in (plain | hidden).items()}
    return shown


def _check(console: Console) -> None:
    wrong: tuple[str, ...] = ()
    try:
        right = console.settings()
    except SettingsError as error:
        right, wrong = error.right or Settings(), error.args
    rest = {name: each for name, each in right.plugins.items() if name != "plugins"}
    # What is wrong with one of these would hide what is wrong with the others' sections.
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

"""`landyard init`: sets a new service up with its first user, site and webhook."""

import os
import sys
from collections.abc import Sequence

import click
from msgspec import structs
from sqlalchemy import select

from landyard import Console, Host, UnitOfWork
from landyard_content import pages
from landyard_landing import languages, sites, tables
from landyard_sitekit.commands.beginning import add_administrator, add_webhook
from landyard_sitekit.commands.program import program, secret_settings
from landyard_sitekit.commands.sites import NewSite, make_site

_IN_USE = "this service has a site already; `landyard site add` adds another"


@click.command()
@click.option("--name", help="What the first user is called.")
@click.option("--title", help="The title of the site.")
@click.option("--code", help="The site's part of the address; by default made of the title.")
@click.option("--template", help="What its first page is made from; see `landyard templates list`.")
@click.option(
    "--language", help="The language of its pages, e.g. de, pt-BR, ar; by default the terminal's."
)
@click.pass_obj
def init(  # noqa: PLR0917 - one for each option
    console: Console,
    name: str | None,
    title: str | None,
    code: str | None,
    template: str | None,
    language: str | None,
) -> None:
    """Set a new service up: an admin user, a site, a webhook.

    Asks for what is not given. The webhook's address is printed once and not kept.
    """
    with console.host() as host:
        with host.store.unit(writes=False) as unit:
            if unit.connection.execute(select(tables.SITE.id)).first() is not None:
                raise click.ClickException(_IN_USE)
            plugin_templates = host.records(pages.SiteTemplate)
            found = pages.list_templates(unit.connection, plugin_templates)
            templates = [each.code for each in found]
        _require_terminal({"--name": name, "--title": title, "--template": template})
        name = name or click.prompt("Your name", err=True)
        title = title or click.prompt("The title of your site", err=True)
        template = template or _ask_template(templates)
        spoken = language or _of_terminal()
        new = NewSite(code or sites.generate_code(title), template, 0, title, language=spoken)
        site, webhook = _set_up(console, host, name, new)
        data = host.settings.data.absolute()
        has_editor = any(
            it.name == "console" and it.state == "enabled" for it in host.plugins.states
        )
    made = f"           (its pages are in the language {spoken}; --language names another)\n"
    made *= language is None
    if not (code or sites.transliterated(title)):
        made += "           (its title has no letter or digit for an address; --code names one)\n"
    ways = f"  This serves the site:\n\n    {program(data)} serve\n"
    if has_editor:
        ways += f"\n  This prints a link into the editor:\n\n    {program(data)} console\n"
    here = ", ".join(secret_settings())
    note = f"\n  (with {here} as it is set here)\n" if here else ""
    console.say(
        f"\n  Site     {site}\n{made}  Webhook  {webhook}\n"
        f"           (shown this once; only its digest is kept)\n  Data     {data}\n\n"
        f"{ways}{note}"
    )


def _set_up(console: Console, host: Host, name: str, new: NewSite) -> tuple[str, str]:
    """Add user, site and webhook in one transaction; return the site's and webhook's addresses."""

    def add(unit: UnitOfWork) -> tuple[str, str]:
        user_id = add_administrator(unit.connection, name)
        site_id, _, address = make_site(host, unit, structs.replace(new, owner=user_id))
        scopes, what_for = ("landing",), "landyard init"
        webhook = add_webhook(
            host.settings.base, unit.connection, user_id, scopes=scopes, title=what_for
        )
        console.record(host, unit, f"site:{site_id}")
        return address, webhook

    return host.store.run(add, writes=True)


def _require_terminal(answers: dict[str, str | None]) -> None:
    missing = [flag for flag, answer in answers.items() if not answer]
    if missing and not sys.stdin.isatty():
        raise click.UsageError(f"there is no terminal to ask at; give {', '.join(missing)}")


def _of_terminal() -> str:
    """Read the terminal's language, `fr` from `fr_FR.UTF-8`; else the default language."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next(filter(None, map(os.environ.get, names)), "")
    language = locale.partition(".")[0].partition("@")[0].partition("_")[0]
    return (
        languages.read_language(language) or languages.USUAL_LANGUAGE
    )  # the locale `C` has no language


def _ask_template(templates: Sequence[str]) -> str:
    kinds: click.Choice[str] = click.Choice(templates)
    return click.prompt("The template of its first page", type=kinds, default="event", err=True)

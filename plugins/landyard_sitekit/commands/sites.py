"""`landyard site add`: makes a site from a template, with an owner."""

from typing import Any

import click
import msgspec
from msgspec import Struct
from sqlalchemy import insert, select, update

from landyard import CallError, Console, Host, UnitOfWork, WorldError
from landyard_content import blocks
from landyard_content.pages import PageTemplate, SiteTemplate, find_template, publish
from landyard_html.sizes import TooLong
from landyard_landing import events, languages, rights, sites, tables
from landyard_sitekit.site_filling import fill_site


class NewSite(Struct, frozen=True):
    """The properties of a site to be made; `owner` is the id of a user."""

    code: str
    template: str
    owner: int
    title: str | None = None
    domain: str | None = None
    language: str = languages.USUAL_LANGUAGE


@click.group()
def site() -> None:
    """Sites: pages with a common address."""


@site.command("add")
@click.argument("code")
@click.option(
    "--owner",
    type=click.IntRange(1, 2**31 - 1),
    required=True,
    metavar="USER_ID",
    help="A user, see `landyard user list`.",
)
@click.option(
    "--template",
    default="coming-soon",
    show_default=True,
    help="The template of its main page, see `landyard templates list`.",
)
@click.option("--title", help="The title of the site and of its main page.")
@click.option("--domain", help="Its own host, e.g. example.org; else CODE is part of the path.")
@click.option(
    "--language",
    default=languages.USUAL_LANGUAGE,
    show_default=True,
    help="The language of its pages, e.g. de, pt-BR, ar.",
)
@Console.json_option
@click.pass_obj
def add_site(console: Console, /, as_json: bool, **options: Any) -> None:
    """Add a site made from a template, and print its address.

    It has one published page, or all pages of a site's template. The owner gets every right on it.
    """

    def make(unit: UnitOfWork) -> tuple[int, int, str]:
        made = make_site(host, unit, new)
        console.record(host, unit, f"site:{made[0]}")
        return made

    new = NewSite(**options)
    with console.host() as host:
        site_id, page_id, url = host.store.run(make, writes=True)
    columns = ("id", "code", "page", "address")
    console.table(columns, [(site_id, new.code, page_id, url)], as_json=as_json)


def make_site(host: Host, unit: UnitOfWork, new: NewSite) -> tuple[int, int, str]:
    """Make a site with published pages; return its id, the main page's id, and its address.

    Raises `ClickException`.
    """
    try:
        return _made(host, unit, new)
    except WorldError as error:
        raise click.ClickException(str(error).removeprefix("sites[0].")) from error
    except (CallError, TooLong) as error:
        raise click.ClickException(f"template '{new.template}': {error}") from error


def _made(host: Host, unit: UnitOfWork, new: NewSite) -> tuple[int, int, str]:
    connection, now = unit.connection, host.now()
    template = find_template(connection, new.template, host.records(SiteTemplate))
    if template is None:
        raise click.ClickException(
            f"there is no template '{new.template}'; see `landyard templates list`"
        )
    row = select(tables.SITE.id).where(tables.SITE.code == new.code)
    if connection.execute(row).first() is not None:
        raise click.ClickException(f"there is a site '{new.code}' already")
    # Loaded as lists of a world file, so that their values are checked in one place.
    if _loaded(host, unit, users=[{"id": new.owner}]):
        raise click.ClickException(f"there is no user {new.owner}; see `landyard user list`")
    described = {"code": new.code, "type": template.type, "domain": new.domain}
    described |= {"language": new.language}
    described |= {"title": new.code if new.title is None else new.title}
    access = {"id": new.owner, "sites_access": True}
    _loaded(host, unit, users=[access], sites=[described])
    site_id = int(connection.execute(row).scalar_one())
    held = {"user_id": new.owner, "site_id": site_id, "rights": int(rights.Right.ALL)}
    connection.execute(insert(tables.RIGHT.id.table).values(held))
    made = fill_site(
        connection,
        site_id,
        _whole(host, template),
        title=new.title,
        brought=host.records(blocks.BlockType),
        now=now,
        user_id=new.owner,
    )
    pages = [*made.pages.values()]
    main = (
        update(tables.SITE.id.table).where(tables.SITE.id == site_id).values(main_page_id=pages[0])
    )
    connection.execute(main)
    for page_id in pages:
        publish(connection, page_id, now, new.owner)
    work = events.HostWork(host, unit)
    events.announce_folders(work, "created", site_id, made.folders.values())
    events.announce_pages(work, "created", pages)
    events.announce_pages(work, "published", pages)
    address = sites.address_of(connection, pages[0])
    assert address is not None
    return site_id, pages[0], address.url(host.settings.base)


def _whole(host: Host, template: PageTemplate) -> SiteTemplate:
    """Find the site template with this main page, else make one of this page alone."""
    site = host.records(SiteTemplate).get(template.code)
    if site is not None and template is site.pages[0]:
        return site
    return SiteTemplate(template.code, template.title, (template,))


def _loaded(host: Host, unit: UnitOfWork, **lists: Any) -> int:
    """Load lists of a world file; return the number of new rows."""
    return host.world.load(msgspec.json.encode(lists), unit.connection, host.now()).created

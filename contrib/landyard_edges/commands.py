"""The commands `landyard edges`: list the edges, and purge tags by hand."""

import re

import click
from msgspec import structs

from landyard import Console
from landyard_edges.purging import Edges
from landyard_edges.waiting import Listed, Tag, list_edges
from landyard_public.edge_tags import EVERYTHING

_TAG = re.compile(r"[A-Za-z0-9_-]{1,200}")


@click.group()
def edges() -> None:
    """Edges: caches in front of the service."""


@edges.command("list")
@Console.json_option
@click.pass_obj
def list_all(console: Console, as_json: bool) -> None:
    """List each edge, its last success, and how many tags wait for it.

    `failing_since` and `error` are set while it cannot be reached; `oldest` is the time of the
    oldest change that it has not been told.
    """
    with console.without_others().host() as host, host.store.unit(writes=False) as unit:
        names = host.plugins.kept(Edges).names
        rows = [structs.astuple(each) for each in list_edges(unit.connection, names)]
    console.table(Listed.__struct_fields__, rows, as_json=as_json)


@edges.command("purge")
@click.argument("tags", nargs=-1, metavar="[TAG]...")
@click.option("--all", "everything", is_flag=True, help="All answers.")
@click.pass_obj
def purge_tags(console: Console, tags: tuple[str, ...], everything: bool) -> None:
    """Make all edges forget the answers with a TAG.

    A tag is such as site-7 or page-10. The service sends the requests, so it has to run.
    """
    if not tags and not everything:
        raise click.UsageError("name tags, such as site-7, or --all")
    for each in tags:
        if not _TAG.fullmatch(each):
            raise click.UsageError(f"'{each}' is no tag, such as site-7")
    wanted = [Tag(each) for each in ([EVERYTHING] if everything else tags)]
    with console.host() as host, host.store.unit(writes=True) as unit:
        host.plugins.kept(Edges).note(unit, wanted)
        console.record(host, unit)
    console.say("the edges are told")

"""`landyard endpoint`: where events go; list, add, test, rotate, enable, remove."""

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import click
from sqlalchemy import Connection, select

from landyard import Console, Host
from landyard_events import event_types
from landyard_outgoing import Refused, check
from landyard_webhooks import endpoints
from landyard_webhooks.delivery import Message, limits, send
from landyard_webhooks.endpoints import ENDPOINT, LISTED, Endpoint

_PATTERN = re.compile(r"[A-Za-z0-9_.*-]+")
endpoint_id = click.argument("endpoint_id", type=click.IntRange(1, 2**31 - 1), metavar="ID")


@click.group()
def endpoint() -> None:
    """Outgoing webhooks: the addresses that events go to."""


@endpoint.command("list")
@Console.json_option
@click.pass_obj
def list_endpoints(console: Console, as_json: bool) -> None:
    """List the endpoints, without their secrets."""
    columns = [ENDPOINT.c[name] for name in LISTED]
    with console.without_others().host() as host, host.store.unit(writes=False) as unit:
        rows = [
            row._asdict() for row in unit.connection.execute(select(*columns).order_by(columns[0]))
        ]
    for row in rows:
        row["events"] = row["events"].split()
    console.table(LISTED, [list(row.values()) for row in rows], as_json=as_json)


@endpoint.command("add")
@click.argument("url")
@click.option(
    "--events",
    "patterns",
    multiple=True,
    required=True,
    help="An event, or a pattern such as 'landing.page.*'; may be repeated.",
)
@Console.json_option
@click.pass_obj
def add_endpoint(console: Console, url: str, patterns: tuple[str, ...], as_json: bool) -> None:
    """Add an endpoint, and print the secret of its signatures.

    From now on events are delivered to URL. The secret is shown this once.
    """
    with console.host() as host:
        try:
            check(url, limits(host))
        except Refused as refused:
            raise click.ClickException(
                f"nothing can be sent to this URL ({refused.reason}): it takes http or https on a"
                " public host at port 80 or 443, or one of `webhooks.allow_hosts`"
            ) from refused
        for pattern in patterns:
            _check_pattern(pattern)
        with host.store.unit(writes=True) as unit:
            made = endpoints.add(unit.connection, url, patterns, host.now())
            console.record(host, unit, f"endpoint:{made.id}")
            _show(console, made, as_json=as_json)


@endpoint.command()
@endpoint_id
@click.option(
    "--overlap",
    type=click.IntRange(0, 24 * 366),
    default=24,
    show_default=True,
    help="For how many hours the old secret signs as well; 0: not at all.",
)
@Console.json_option
@click.pass_obj
def rotate(console: Console, endpoint_id: int, overlap: int, as_json: bool) -> None:
    """Give an endpoint a new secret, and print it, this once."""
    with _found(console, endpoint_id) as (host, on, found):
        made = endpoints.rotate(on, found, host.now(), timedelta(hours=overlap))
        _show(console, made, as_json=as_json)


@endpoint.command()
@endpoint_id
@click.pass_obj
def enable(console: Console, endpoint_id: int) -> None:
    """Switch an endpoint on that has answered 410 and is off since."""
    with _found(console, endpoint_id) as (_, on, _):
        endpoints.switch(on, endpoint_id, on=True)
    console.say(f"endpoint {endpoint_id} is on")


@endpoint.command()
@endpoint_id
@click.pass_obj
def remove(console: Console, endpoint_id: int) -> None:
    """Deliver no more to an endpoint, nor what waits for it."""
    with _found(console, endpoint_id) as (_, on, _):
        endpoints.remove(on, endpoint_id)
    console.say(f"endpoint {endpoint_id} is removed")


@endpoint.command()
@endpoint_id
@click.pass_obj
def test(console: Console, endpoint_id: int) -> None:
    """Send an event `landyard.test`, and say how it is answered.

    It is sent once, and not tried again.
    """
    with _found(console, endpoint_id, writes=False) as (host, _, found):
        message = Message("landyard.test", host.now(), {})
        try:
            status = send(host, found, f"evt_{uuid.uuid4().hex}", message)
        except Refused as refused:
            raise click.ClickException(f"not delivered: {refused.reason}") from refused
    if not 200 <= status < 300:
        raise click.ClickException(f"not delivered: the endpoint answered {status}")
    console.say(f"delivered: the endpoint answered {status}")


@contextmanager
def _found(
    console: Console, endpoint_id: int, *, writes: bool = True
) -> Iterator[tuple[Host, Connection, Endpoint]]:
    """Open the kernel, a transaction and an endpoint."""
    with console.host() as host, host.store.unit(writes=writes) as unit:
        found = endpoints.find(unit.connection, endpoint_id)
        if found is None:
            told = f"there is no endpoint {endpoint_id}; see `landyard endpoint list`"
            raise click.ClickException(told)
        yield host, unit.connection, found
        if writes:
            console.record(host, unit, f"endpoint:{endpoint_id}")


def _check_pattern(pattern: str) -> None:
    known = list(event_types())
    if not _PATTERN.fullmatch(pattern):
        raise click.ClickException(f"'{pattern}' is no pattern of events, such as 'landing.page.*'")
    if not any(endpoints.matches(topic, pattern) for topic in known):
        there = ", ".join(known) or "none"
        raise click.ClickException(f"no event is called '{pattern}'; there are: {there}")


def _show(console: Console, made: Endpoint, *, as_json: bool) -> None:
    if as_json:
        console.table(("id", "secret"), [(made.id, made.secret)], as_json=True)
        return
    console.say(f"{made.secret}\n(the secret of endpoint {made.id}, shown this once)")

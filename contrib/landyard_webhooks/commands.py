"""The commands `landyard endpoint`: list, add, test, rotate, enable and remove endpoints."""

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import click
from sqlmodel import col, select

from landyard import Console, Host, UnitOfWork
from landyard_events import event_types
from landyard_outgoing import Refused, check
from landyard_webhooks import endpoints
from landyard_webhooks.delivery import Message, limits, send
from landyard_webhooks.endpoints import Endpoint

_PATTERN = re.compile(r"[A-Za-z0-9_.*-]+")
endpoint_id = click.argument("endpoint_id", type=click.IntRange(1, 2**31 - 1), metavar="ID")


@click.group()
def endpoint() -> None:
    """Outgoing webhooks: the addresses that receive events."""


@endpoint.command("list")
@Console.json_option
@click.pass_obj
def list_endpoints(console: Console, as_json: bool) -> None:
    """List the endpoints, without their secrets."""
    with console.without_others().host() as host, host.store.session() as session:
        listed = [
            [each.id, each.url, each.events.split(), each.active, each.created_at]
            for each in session.exec(select(Endpoint).order_by(col(Endpoint.id)))
        ]
    console.table(("id", "url", "events", "active", "created_at"), listed, as_json=as_json)


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

    From now on events are delivered to URL. The secret cannot be shown again.
    """
    with console.host() as host:
        try:
            check(url, limits(host))
        except Refused as refused:
            raise click.ClickException(
                f"nothing can be sent to this URL ({refused.reason}): use http or https on a"
                " public host at port 80 or 443, or one of `webhooks.allow_hosts`"
            ) from refused
        for pattern in patterns:
            _check_pattern(pattern)
        with host.store.unit(writes=True) as unit:
            added = endpoints.add(unit.session, url, patterns, host.now())
            console.record(host, unit, f"endpoint:{added.id}")
            _show(console, added, as_json=as_json)


@endpoint.command()
@endpoint_id
@click.option(
    "--overlap",
    type=click.IntRange(0, 24 * 366),
    default=24,
    show_default=True,
    help="Hours for which deliveries are signed with the old secret, too; 0: not at all.",
)
@Console.json_option
@click.pass_obj
def rotate(console: Console, endpoint_id: int, overlap: int, as_json: bool) -> None:
    """Replace the secret of an endpoint, and print it, once.

    It cannot be shown again.
    """
    with _endpoint(console, endpoint_id) as (host, _, chosen):
        chosen.rotate(host.now(), timedelta(hours=overlap))
        _show(console, chosen, as_json=as_json)


@endpoint.command()
@endpoint_id
@click.pass_obj
def enable(console: Console, endpoint_id: int) -> None:
    """Switch an endpoint on that was switched off when it answered 410."""
    with _endpoint(console, endpoint_id) as (_, _, chosen):
        chosen.active = True
    console.say(f"endpoint {endpoint_id} is on")


@endpoint.command()
@endpoint_id
@click.pass_obj
def remove(console: Console, endpoint_id: int) -> None:
    """Remove an endpoint, and drop the deliveries waiting for it."""
    with _endpoint(console, endpoint_id) as (_, unit, chosen):
        unit.session.delete(chosen)
    console.say(f"endpoint {endpoint_id} is removed")


@endpoint.command()
@endpoint_id
@click.pass_obj
def test(console: Console, endpoint_id: int) -> None:
    """Send an event `landyard.test`, and print the status of the answer.

    It is sent once and never tried again.
    """
    with _endpoint(console, endpoint_id, writes=False) as (host, _, chosen):
        message = Message("landyard.test", host.now(), {})
        try:
            status = send(host, chosen, f"evt_{uuid.uuid4().hex}", message)
        except Refused as refused:
            raise click.ClickException(f"not delivered: {refused.reason}") from refused
    if not 200 <= status < 300:
        raise click.ClickException(f"not delivered: the endpoint answered {status}")
    console.say(f"delivered: the endpoint answered {status}")


@contextmanager
def _endpoint(
    console: Console, endpoint_id: int, *, writes: bool = True
) -> Iterator[tuple[Host, UnitOfWork, Endpoint]]:
    """Provide the host, a transaction and the endpoint."""
    with console.host() as host, host.store.unit(writes=writes) as unit:
        chosen = unit.session.get(Endpoint, endpoint_id)
        if chosen is None:
            text = f"there is no endpoint {endpoint_id}; see `landyard endpoint list`"
            raise click.ClickException(text)
        yield host, unit, chosen
        if writes:
            console.record(host, unit, f"endpoint:{endpoint_id}")


def _check_pattern(pattern: str) -> None:
    topics = list(event_types())
    if not _PATTERN.fullmatch(pattern):
        raise click.ClickException(f"'{pattern}' is no pattern of events, such as 'landing.page.*'")
    if not any(endpoints.matches(topic, pattern) for topic in topics):
        names = ", ".join(topics) or "none"
        raise click.ClickException(f"no event is called '{pattern}'; there are: {names}")


def _show(console: Console, shown: Endpoint, *, as_json: bool) -> None:
    if as_json:
        console.table(("id", "secret"), [(shown.id, shown.secret)], as_json=True)
        return
    console.say(f"{shown.secret}\n(the secret of endpoint {shown.id}, shown this once)")

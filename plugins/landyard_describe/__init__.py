"""Descriptions of methods that are on: OpenAPI, OpenRPC, the explorer, the command `methods`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from landyard import Kernel, hookimpl

if TYPE_CHECKING:
    import click


@hookimpl
def register_routes(kernel: Kernel) -> Iterable[object]:
    from landyard_describe.web import routes  # the command line needs no web

    return routes(kernel)


@hookimpl
def register_commands() -> "Iterable[click.Command]":
    from landyard_describe.commands import methods  # a server needs no words

    return [methods]

"""Descriptions of the active methods: OpenAPI, OpenRPC, the explorer, the command `methods`.

A plugin that describes methods elsewhere declares `requires = ("describe",)`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from landyard import Host, Method, hookimpl

if TYPE_CHECKING:
    import click

__all__ = ["can_be_tried", "parameters_schema"]


def parameters_schema(method: Method) -> dict[str, Any]:
    """Return the JSON Schema of a method's parameters, as one object without references."""
    from landyard_describe.standalone import (
        parameters_schema,
    )  # imported late: starting needs no schemas

    return parameters_schema(method)


def can_be_tried(method: Method) -> bool:
    """Tell whether a method supports dry runs: all its work is in one transaction."""
    from landyard_describe.texts import can_be_tried  # imported late: starting needs no texts

    return can_be_tried(method)


@hookimpl
def register_routes(host: Host) -> Iterable[object]:
    from landyard_describe.web import routes  # imported late: the command line needs no web

    return routes(host)


@hookimpl
def register_commands() -> "Iterable[click.Command]":
    from landyard_describe.commands import methods  # imported late: a server needs no commands

    return [methods]

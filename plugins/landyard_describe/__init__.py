"""Descriptions of methods that are on: OpenAPI, OpenRPC, the explorer, the command `methods`.

A plugin that describes methods elsewhere declares `requires = ("describe",)`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from landyard import Host, Method, hookimpl

if TYPE_CHECKING:
    import click

__all__ = ["can_be_tried", "parameters_schema"]


def parameters_schema(method: Method) -> dict[str, Any]:
    """Describe what a method takes: a JSON Schema of one object, which refers to nothing."""
    from landyard_describe.standalone import parameters_schema  # a start needs no schemas

    return parameters_schema(method)


def can_be_tried(method: Method) -> bool:
    """Tell whether a dry run of a method is answered: nothing of it is out of a transaction."""
    from landyard_describe.texts import can_be_tried  # nor texts

    return can_be_tried(method)


@hookimpl
def register_routes(host: Host) -> Iterable[object]:
    from landyard_describe.web import routes  # the command line needs no web

    return routes(host)


@hookimpl
def register_commands() -> "Iterable[click.Command]":
    from landyard_describe.commands import methods  # a server needs no words

    return [methods]

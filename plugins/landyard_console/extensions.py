"""What plugins bring for the console beside screens: columns of the pages, and panels of nodes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog
from msgspec import Struct

from landyard import Host, PluginError, Record
from landyard_console.view import Refused, View
from landyard_landing import NODE_TYPES, NodeType

log = structlog.get_logger()

Pages = Sequence[Mapping[str, Any]]
"""Pages as `landing.landing.getList` answers them."""


class Column(Record, frozen=True, kw_only=True):
    """A column of the list of pages: `texts(view, pages)` answers texts by the pages' `ID`.

    `title` is a key of the console's texts, or the text itself. It is asked once for a part of the
    list. One that fails is shown with its plugin's name and the error, and nothing else is lost.
    """

    name: str
    title: str
    texts: Callable[[View, Pages], Mapping[str, str]]

    @property
    def key(self) -> str:
        return self.name


class Panel(Record, frozen=True, kw_only=True):
    """A panel of the editor, for a type of nodes in manifests, such as `poll`.

    `module` is the address of an ES module, which the plugin serves by a route of its own. See
    `static/editor/panels.js` for what it exports.
    """

    node: str
    module: str

    @property
    def key(self) -> str:
        return self.node

    def check(self, records: Mapping[type, Mapping[str, Any]]) -> None:
        if self.node not in NODE_TYPES and self.node not in records.get(NodeType, {}):
            raise PluginError(
                f"panel '{self.node}': no type of nodes is called so; bring a NodeType of this"
                " name, or require the plugin that has it"
            )
        if not self.module.startswith("/") or self.module.startswith("//"):
            raise PluginError(
                f"panel '{self.node}': its module '{self.module}' must be an address of this"
                " service, which begins with one /, such as '/-/polls/panel.js'"
            )


class Filled(Struct, frozen=True):
    """A column with its texts, or with what went wrong."""

    title: str
    plugin: str
    texts: Mapping[str, str]
    error: str = ""


def fill_columns(view: View, pages: Pages) -> list[Filled]:
    """Ask each column for its texts."""
    return [_fill(each, view, pages) for each in view.host.records(Column).values()]


def panels_of(host: Host) -> dict[str, dict[str, str]]:
    """List the panels by the types of nodes that they are for, as JavaScript reads them."""
    found = host.records(Panel).values()
    return {each.node: {"plugin": each.plugin, "module": each.module} for each in found}


def _fill(column: Column, view: View, pages: Pages) -> Filled:
    try:
        return Filled(column.title, column.plugin, column.texts(view, pages))
    except Exception as error:  # noqa: BLE001 - whatever a plugin raises
        told = error.failure.error if isinstance(error, Refused) else type(error).__name__
        log.warning("column_failed", plugin=column.plugin, column=column.name, error=told)
        return Filled(column.title, column.plugin, {}, told)

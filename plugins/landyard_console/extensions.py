"""Extensions of the console by plugins: columns of the list of pages, and panels for nodes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog
from msgspec import Struct

from landyard import Host, PluginError, Record
from landyard_console.view import Refused, View
from landyard_content.blocks import NodeType
from landyard_html.manifests import NODE_TYPES

log = structlog.get_logger()

Pages = Sequence[Mapping[str, Any]]
"""Pages in the form of `landing.landing.getList`."""


class Column(Record, frozen=True, kw_only=True):
    """A column of the list of pages: `texts(view, pages)` returns texts by the pages' `ID`.

    `title` is a key of the console's texts, or the text itself. `texts` is called once for each
    part of the list. A failing column shows its plugin's name and the error, and the rest of the
    list works.
    """

    name: str
    title: str
    texts: Callable[[View, Pages], Mapping[str, str]]

    @property
    def key(self) -> str:
        return self.name


class Panel(Record, frozen=True, kw_only=True):
    """A panel of the editor for a node type of manifests, such as `poll`.

    `module` is the address of an ES module that the plugin serves by a route of its own.
    `static/editor/panels.js` describes its exports.
    """

    node: str
    module: str

    @property
    def key(self) -> str:
        return self.node

    def check(self, records: Mapping[type, Mapping[str, Any]]) -> None:
        if self.node not in NODE_TYPES and self.node not in records.get(NodeType, {}):
            raise PluginError(
                f"panel '{self.node}': there is no node type of this name; register a NodeType"
                " with it, or require the plugin that has it"
            )
        if not self.module.startswith("/") or self.module.startswith("//"):
            raise PluginError(
                f"panel '{self.node}': its module '{self.module}' must be an address of this"
                " service, which begins with one /, such as '/-/polls/panel.js'"
            )


class Filled(Struct, frozen=True):
    """A column with its texts, or with its error."""

    title: str
    plugin: str
    texts: Mapping[str, str]
    error: str = ""


def fill_columns(view: View, pages: Pages) -> list[Filled]:
    """Return all columns with their texts for the pages."""
    return [_fill(each, view, pages) for each in view.host.records(Column).values()]


def panels_of(host: Host) -> dict[str, dict[str, str]]:
    """Return the panels by their node types, in the form that the JavaScript reads."""
    panels = host.records(Panel).values()
    return {each.node: {"plugin": each.plugin, "module": each.module} for each in panels}


def _fill(column: Column, view: View, pages: Pages) -> Filled:
    try:
        return Filled(column.title, column.plugin, column.texts(view, pages))
    except Exception as error:  # noqa: BLE001 - a plugin may raise anything
        code = error.failure.error if isinstance(error, Refused) else type(error).__name__
        log.warning("column_failed", plugin=column.plugin, column=column.name, error=code)
        return Filled(column.title, column.plugin, {}, code)

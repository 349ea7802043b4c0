"""The record by which a plugin brings a type of node for the manifests of blocks."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from landyard import PluginError, Record
from landyard_html.manifests import NODE_TYPES
from landyard_html.node_types import NodeElement

_NAME = re.compile(r"[a-z][a-z0-9_]*")
# Values that `clean` must accept or refuse with `ValueError`, since callers may send them.
_ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    1.5,
    "",
    "x" * 1000,
    "\x00<b>&",
    [],
    [None],
    {},
    {"": [{}]},
)


class NodeType(Record, frozen=True):
    """A type of node, with the `name` that manifests use; see `landyard_html.node_types`.

    `clean` checks a caller's value and returns the value to write, or raises `ValueError`; the
    caller then reads `Parameter 'data[…]' must be <expected>.` `write` puts the cleaned value into
    an element. `read` returns an element's value, which `clean` must accept.
    """

    name: str
    expected: str
    read: Callable[[NodeElement], Any]
    clean: Callable[[Any], Any]
    write: Callable[[NodeElement, Any], None]

    @property
    def key(self) -> str:
        return self.name

    def check(self, records: Mapping[type, Mapping[str, Any]]) -> None:  # noqa: ARG002 - see Record
        if not _NAME.fullmatch(self.name) or self.name in NODE_TYPES:
            raise PluginError(
                f"node type '{self.name}': name it with lower-case letters, digits and _, but with"
                f" none of the built-in names ({', '.join(sorted(NODE_TYPES))})"
            )
        for value in _ODD:
            try:
                self.clean(value)
            except ValueError:
                pass
            except Exception as error:
                raise PluginError(
                    f"node type '{self.name}': clean({value!r:.20}) raised"
                    f" {type(error).__name__}: {error}; it must raise ValueError for a value that"
                    " it refuses"
                ) from error

"""Types of nodes that plugins bring: what an element holds is read, cleaned and written by them."""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from landyard import PluginError, Record
from landyard_landing.html.attributes import Attributes, set_attribute
from landyard_landing.html.manifests import NODE_TYPES
from landyard_landing.html.values import Editor, WrongValue

if TYPE_CHECKING:
    from turbohtml import Element

_NAME = re.compile(r"[a-z][a-z0-9_]*")
# What callers may send instead of a value.
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


class NodeElement:
    """An element of a block, as a type of node reads and writes it.

    What is written goes through the sanitising policy, as what callers write does.
    """

    def __init__(self, editor: Editor, element: "Element", parameter: str) -> None:
        """Show the element; `parameter` is where its value comes from."""
        self._editor = editor
        self._element = element
        self._parameter = parameter

    @property
    def tag(self) -> str:
        """The tag's name, in lower case."""
        return self._element.tag

    @property
    def text(self) -> str:
        """The text inside, without tags."""
        return self._element.text

    @property
    def html(self) -> str:
        """The HTML inside."""
        return self._element.inner_html

    def attribute(self, name: str) -> str | None:
        """Return the value of an attribute, None where the element has no such one."""
        return self._element.attr(name)

    def set_html(self, html: str) -> None:
        """Replace what is inside, as a text node's value does: with rich text, without frames."""
        self._editor.markup.set_text(self._element, html)

    def set_attribute(self, name: str, value: str | None) -> None:
        """Set an attribute, or with None remove it.

        A refused address of a link becomes `#`, any other refused value removes the attribute.
        Raises `ValueError` for an attribute that no such element may have.
        """
        editor, element = self._editor, self._element
        if value is None:
            editor.markup.set_attribute(element, name, None)
            return
        name = name.lower()
        attributes = Attributes(self._parameter, {name: value})
        if not set_attribute(editor.markup, element, attributes, name, editor.rules):
            raise ValueError(f"no <{element.tag}> may have the attribute '{name}'")


class NodeType(Record, frozen=True):
    """A type of node, by the `name` that manifests say.

    `clean` takes what a caller has sent and returns what is to be written, or raises `ValueError`:
    then the caller is told `Parameter 'data[…]' must be <expected>.` `write` puts that into an
    element; `read` returns what an element holds, and `clean` takes that as well.
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
                f"node type '{self.name}': name it with lower-case letters, digits and _, and other"
                f" than what is built in ({', '.join(sorted(NODE_TYPES))})"
            )
        for value in _ODD:
            try:
                self.clean(value)
            except ValueError:
                pass
            except Exception as error:
                raise PluginError(
                    f"node type '{self.name}': clean({value!r:.20}) raised"
                    f" {type(error).__name__}: {error}; for what it does not take it must raise"
                    " ValueError"
                ) from error


class TypedValue(Struct, frozen=True):
    """A value for a node of a plugin's type, cleaned; `parameter` is where it was sent."""

    type: NodeType
    parameter: str
    value: Any


def read_typed(parameter: str, kind: NodeType, value: object) -> TypedValue:
    """Clean a value that was sent; raises `WrongValue`."""
    try:
        return TypedValue(kind, parameter, kind.clean(value))
    except ValueError as error:
        raise WrongValue(parameter, kind.expected) from error


def write_typed(editor: Editor, element: "Element", value: TypedValue) -> None:
    """Have a cleaned value written into the element that it is for."""
    value.type.write(NodeElement(editor, element, value.parameter), value.value)

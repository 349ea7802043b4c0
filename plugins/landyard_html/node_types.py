"""Node types of plugins, which read, check and write the value of an element."""

from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from landyard_html.attributes import Attributes, set_attribute
from landyard_html.values import Editor, WrongValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from turbohtml import Element


class NodeElement:
    """An element of a block, as a type of node reads and writes it.

    Values written here go through the sanitising policy, like values that callers send.
    """

    def __init__(self, editor: Editor, element: "Element", parameter: str) -> None:
        """Wrap the element; `parameter` names the caller's parameter that holds the value."""
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
        """Return the value of an attribute; None where the element does not have it."""
        return self._element.attr(name)

    def set_html(self, html: str) -> None:
        """Replace the content with rich text, sanitised like a text node's value: no frames."""
        self._editor.markup.set_text(self._element, html)

    def set_attribute(self, name: str, value: str | None) -> None:
        """Set an attribute, or remove it with None.

        A refused address of a link becomes `#`; any other refused value removes the attribute.
        Raises `ValueError` for an attribute that the policy does not allow on this element.
        """
        editor, element = self._editor, self._element
        if value is None:
            editor.markup.set_attribute(element, name, None)
            return
        name = name.lower()
        attributes = Attributes(self._parameter, {name: value})
        if not set_attribute(editor.markup, element, attributes, name, editor.rules):
            raise ValueError(f"no <{element.tag}> may have the attribute '{name}'")


class NodeType(Protocol):
    """A type of node, with the `name` that manifests use.

    `clean` checks a caller's value and returns the value to write, or raises `ValueError`; the
    caller then reads `Parameter 'data[…]' must be <expected>.` `write` puts the cleaned value into
    an element. `read` returns an element's value, which `clean` must accept.
    """

    @property
    def name(self) -> str: ...
    @property
    def expected(self) -> str: ...
    @property
    def read(self) -> "Callable[[NodeElement], Any]": ...
    @property
    def clean(self) -> "Callable[[Any], Any]": ...
    @property
    def write(self) -> "Callable[[NodeElement, Any], None]": ...


class TypedValue(Struct, frozen=True):
    """A cleaned value for a node of a plugin's type; `parameter` names its parameter."""

    type: NodeType
    parameter: str
    value: Any


def read_typed(parameter: str, kind: NodeType, value: object) -> TypedValue:
    """Check and clean a caller's value; raises `WrongValue`."""
    try:
        return TypedValue(kind, parameter, kind.clean(value))
    except ValueError as error:
        raise WrongValue(parameter, kind.expected) from error


def write_typed(editor: Editor, element: "Element", value: TypedValue) -> None:
    """Write a cleaned value into its element."""
    value.type.write(NodeElement(editor, element, value.parameter), value.value)

"""The method group of this plugin, and the parameters that its methods share."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from landyard import Bounds, Id, MethodGroup, MissingParams, NeededId, WrongType, read_text
from landyard_content import blocks

# A block may hold whole articles.
block_methods = MethodGroup(scope="landing", bounds=Bounds(size=8 * 1024 * 1024))

NeededText = Annotated[Any, Meta(description="string", extra_json_schema={"type": "string"})]
"""A text parameter of a method without `TYPE_ERROR`: an unusable value counts as missing (C9)."""


class OfDraft(Struct, frozen=True):
    """A block of a draft, for methods whose edit is always in the page's history.

    `lid`, `block`: ids of a page and of a block of its draft.

    `revision`: that of the block as the caller saw it.
    """

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    revision: blocks.Revision = None
    scope: str | None = None


class OfHistory(Struct, frozen=True):
    """A block of a draft, for methods whose caller may keep the edit out of the page's history.

    `lid`, `block`: ids of a page and of a block of its draft.

    `revision`: that of the block as the caller saw it.
    """

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    prevent_history: bool = field(name="preventHistory", default=False)
    revision: blocks.Revision = None
    scope: str | None = None


def need_text(value: Any, name: str) -> str:
    """Return the text of a `NeededText`; raises `MissingParams` for any other value."""
    try:
        return read_text(value, name)
    except WrongType:
        raise MissingParams.named([name]) from None

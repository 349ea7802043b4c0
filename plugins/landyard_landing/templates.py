"""Page templates: what a template's code stands for, from the database or the built-in ones."""

import functools
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, bindparam, select

from landyard_landing.tables import Template

_ROW = Template.__table__.c  # type: ignore[attr-defined]
_FIND = select(*_ROW).where(_ROW.code == bindparam("code"))
_ALL = select(*_ROW).order_by(_ROW.code)

Parameters = dict[str, dict[str, Any]]
"""Parameters of components, by the components' names."""


class TemplateBlock(Struct, frozen=True):
    """One block of a template; `content` is None where the block type's own HTML is meant."""

    code: str
    content: str | None = None
    anchor: str | None = None
    params: Parameters = {}


class PageTemplate(Struct, frozen=True):
    """A page template, as a world file writes it: a page's fields, and its blocks in order.

    `fields` may hold anything: a world file is not asked what it puts there.
    """

    code: str
    type: str = "PAGE"
    title: str = ""
    description: str = ""
    fields: dict[str, Any] = {}
    locked: bool = False
    blocks: tuple[TemplateBlock, ...] = ()


@functools.cache
def builtin_templates() -> Mapping[str, PageTemplate]:
    """Read the built-in templates, by code."""
    folder = files("landyard_landing") / "catalogue" / "templates"
    found = (
        msgspec.json.decode(file.read_bytes(), type=PageTemplate)
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
    )
    return {template.code: template for template in found}


def find_template(connection: Connection, code: str) -> PageTemplate | None:
    """Find a template; the database's wins over a built-in one of the same code."""
    row = connection.execute(_FIND, {"code": code}).mappings().first()
    return builtin_templates().get(code) if row is None else _read(row)


def stored_templates(connection: Connection) -> Mapping[str, PageTemplate]:
    """Read the templates that world files brought, by code."""
    return {row["code"]: _read(row) for row in connection.execute(_ALL).mappings()}


def list_templates(connection: Connection) -> Sequence[PageTemplate]:
    """List every template that `find_template` finds, by code."""
    found = {**builtin_templates(), **stored_templates(connection)}
    return [template for _, template in sorted(found.items())]


def _read(row: Mapping[Any, Any]) -> PageTemplate:
    """Read a row tolerantly: what is not of its shape is as good as not there."""
    blocks = row["blocks"] if isinstance(row["blocks"], list) else []
    return PageTemplate(
        code=row["code"],
        type=row["type"],
        title=row["title"],
        description=row["description"],
        fields=row["fields"] if isinstance(row["fields"], dict) else {},
        locked=row["locked"],
        blocks=tuple(block for each in blocks if (block := _read_block(each)) is not None),
    )


def _read_block(block: object) -> TemplateBlock | None:
    if not isinstance(block, dict) or not (code := _text(block.get("code"))):
        return None
    params = block.get("params")
    components = params.items() if isinstance(params, dict) else ()
    return TemplateBlock(
        code=code,
        content=_text(block.get("content")),
        anchor=_text(block.get("anchor")),
        params={name: of for name, of in components if isinstance(of, dict)},
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None

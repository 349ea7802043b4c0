"""Page templates: what a template's code stands for, from the database or the built-in ones."""

import functools
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from landyard import Prepared
from landyard_landing.tables import TEMPLATE

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


_TEMPLATES = select(*(TEMPLATE[name] for name in PageTemplate.__struct_fields__))
_FIND = Prepared(_TEMPLATES.where(TEMPLATE.code == bindparam("code")))
_OF_CODE = TEMPLATE.code == bindparam("of_code")
_ADD = Prepared(insert(TEMPLATE.id.table))
_SAVE = Prepared(update(TEMPLATE.id.table).where(_OF_CODE))
_FORGET = Prepared(delete(TEMPLATE.id.table).where(_OF_CODE))
_ALL = Prepared(_TEMPLATES.order_by(TEMPLATE.code))


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
    row = _FIND.first(connection, code=code)
    return builtin_templates().get(code) if row is None else _read(row)


def stored_templates(connection: Connection) -> Mapping[str, PageTemplate]:
    """Read the templates that world files brought, by code."""
    return {row[0]: _read(row) for row in _ALL.all(connection)}


def list_templates(connection: Connection) -> Sequence[PageTemplate]:
    """List every template that `find_template` finds, by code."""
    found = {**builtin_templates(), **stored_templates(connection)}
    return [template for _, template in sorted(found.items())]


def store_template(connection: Connection, template: PageTemplate) -> None:
    """Store a template, in place of one of the same code; the caller keeps others from it.

    The contents of its blocks went through the sanitising policy.
    """
    row = msgspec.to_builtins(template)
    if _FIND.first(connection, code=template.code) is None:
        _ADD.run(connection, **row)
    else:
        _SAVE.run(connection, of_code=template.code, **row)


def forget_template(connection: Connection, code: str) -> None:
    """Remove a template; pages that were made of it stay."""
    _FORGET.run(connection, of_code=code)


def _read(row: Sequence[Any]) -> PageTemplate:
    return msgspec.convert(
        dict(zip(PageTemplate.__struct_fields__, row, strict=True)), PageTemplate
    )

"""Stores the page templates of registered templates, and removes them."""

import msgspec
from sqlalchemy import Connection, bindparam, delete, insert, update

from landyard import Prepared
from landyard_content.pages import PageTemplate
from landyard_landing.tables import TEMPLATE

_OF_CODE = TEMPLATE.code == bindparam("of_code")
_ADD = Prepared(insert(TEMPLATE.id.table))
_SAVE = Prepared(update(TEMPLATE.id.table).where(_OF_CODE))
_FORGET = Prepared(delete(TEMPLATE.id.table).where(_OF_CODE))


def store_template(connection: Connection, template: PageTemplate) -> None:
    """Store a template, replacing one of the same code; the caller holds a lock for this.

    The caller has sanitised the contents of its blocks.
    """
    row = msgspec.to_builtins(template)
    if not _SAVE.run(connection, of_code=template.code, **row):
        _ADD.run(connection, **row)


def forget_template(connection: Connection, code: str) -> None:
    """Remove a template; pages that were made of it stay."""
    _FORGET.run(connection, of_code=code)

"""More blocks and templates: what opens and folds without a script, and whole sites in one call."""

from collections.abc import Iterable

from landyard import Record, hookimpl
from landyard_catalogue.templates import site_templates
from landyard_catalogue.types import block_types

requires = ("landing",)


@hookimpl
def register_records() -> Iterable[Record]:
    return [*block_types(), *site_templates()]

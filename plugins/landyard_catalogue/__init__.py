"""A catalogue of block types that fold and open without scripts, and of whole-site templates."""

from collections.abc import Iterable

from landyard import Record, hookimpl
from landyard_catalogue.templates import site_templates
from landyard_catalogue.types import block_types

requires = ("content", "landing")


@hookimpl
def register_records() -> Iterable[Record]:
    return [*block_types(), *site_templates()]

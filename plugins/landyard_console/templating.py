"""The templates, filled by Jinja with everything escaped."""

import functools

from jinja2 import Environment, PackageLoader, StrictUndefined


@functools.cache
def environment() -> Environment:
    """Read the templates of the console."""
    return Environment(
        loader=PackageLoader("landyard_console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )

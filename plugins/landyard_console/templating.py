"""The templates, filled by Jinja with everything escaped."""

import functools

from jinja2 import ChainableUndefined, Environment, PackageLoader

from landyard_console.assets import asset


@functools.cache
def environment() -> Environment:
    """Read the templates of the console."""
    made = Environment(
        loader=PackageLoader("landyard_console"),
        autoescape=True,
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals["icons"] = asset("icons.svg")
    return made

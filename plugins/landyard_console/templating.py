"""The Jinja environment of the templates, with automatic escaping."""

import functools

from jinja2 import ChainableUndefined, Environment, PackageLoader

from landyard_console.assets import asset


@functools.cache
def environment() -> Environment:
    """Return the environment with the console's templates."""
    jinja = Environment(
        loader=PackageLoader("landyard_console"),
        autoescape=True,
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    jinja.globals["icons"] = asset("icons.svg")
    return jinja

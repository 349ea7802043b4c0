"""Writes the command line that runs this program, with its settings, from another terminal."""

import os
import re
import shlex
import sys
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from landyard import Settings

_PREFIX = "LANDYARD_"
_DATABASE = f"{_PREFIX}DATABASE_URL"
_FILES = (f"{_PREFIX}TLS_CERTIFICATE", f"{_PREFIX}TLS_KEY")
_SECRET = re.compile(r"__\w*(CODE|KEY|PASSWORD|SECRET|TOKEN)")
_IN_URL = re.compile(r"://.*[?&]\w*(key|password|secret|token)=", re.IGNORECASE)


def program(data: Path) -> str:
    """Write the command that runs this program, with its settings, in any folder or terminal.

    The settings are the data directory, the settings file, and variables of the environment. A
    secret is written as a reference to its variable: a shell without this variable reports it and
    starts nothing.
    """
    variables = {f"{_PREFIX}DATA": str(data.absolute())}
    config = Path(os.environ.get(f"{_PREFIX}CONFIG", "landyard.toml"))
    if config.exists():
        variables[f"{_PREFIX}CONFIG"] = str(config.absolute())
    variables |= {name: text for name, text in _settings().items() if name not in variables}
    words = [
        f'{name}="${{{name}:?}}"' if _is_secret(name, text) else f"{name}={shlex.quote(text)}"
        for name, text in variables.items()
    ]
    return " ".join([*words, shlex.quote(str(Path(sys.argv[0]).absolute()))])


def secret_settings() -> list[str]:
    """Name the variables of the environment whose values `program` leaves out."""
    return [name for name, text in _settings().items() if _is_secret(name, text)]


def _settings() -> dict[str, str]:
    """Return the environment's settings of kernel and plugins by name, with absolute paths."""
    fields = Settings.__struct_fields__
    return {
        name: _from_root(name, text)
        for name, text in sorted(os.environ.items())
        if name.startswith(_PREFIX)
        and ("__" in name or name.removeprefix(_PREFIX).lower() in fields)
    }


def _from_root(name: str, text: str) -> str:
    if name in _FILES and text:
        return str(Path(text).absolute())
    if name == _DATABASE and text.startswith("sqlite:///"):
        return f"sqlite:///{Path(text.removeprefix('sqlite:///')).absolute()}"
    return text


def _is_secret(name: str, text: str) -> bool:
    if name != _DATABASE:
        return bool(text and (_SECRET.search(name.upper()) or _IN_URL.search(text)))
    try:
        url = make_url(text or "sqlite://")
    except ArgumentError:
        return True
    return url.password is not None or "password" in url.query

"""How another terminal starts the program that runs here."""

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


def program(data: Path) -> str:
    """Return this program with the settings that it wants in another folder or terminal.

    These are the data directory, the file of settings, and what is set in the environment. A secret
    is not in it: a shell in which its variable has no value says so, and starts nothing.
    """
    given = {f"{_PREFIX}DATA": str(data.absolute())}
    config = Path(os.environ.get(f"{_PREFIX}CONFIG", "landyard.toml"))
    if config.exists():
        given[f"{_PREFIX}CONFIG"] = str(config.absolute())
    given |= {name: text for name, text in _settings().items() if name not in given}
    words = [
        f'{name}="${{{name}:?}}"' if _is_secret(name, text) else f"{name}={shlex.quote(text)}"
        for name, text in given.items()
    ]
    return " ".join([*words, shlex.quote(str(Path(sys.argv[0]).absolute()))])


def secret_settings() -> list[str]:
    """Name the variables of the environment whose values `program` leaves out."""
    return [name for name, text in _settings().items() if _is_secret(name, text)]


def _settings() -> dict[str, str]:
    """Return what the environment sets, the kernel's and the plugins', with paths from the root."""
    host = Settings.__struct_fields__
    return {
        name: _from_root(name, text)
        for name, text in sorted(os.environ.items())
        if name.startswith(_PREFIX) and ("__" in name or name.removeprefix(_PREFIX).lower() in host)
    }


def _from_root(name: str, text: str) -> str:
    if name in _FILES and text:
        return str(Path(text).absolute())
    if name == _DATABASE and text.startswith("sqlite:///"):
        return f"sqlite:///{Path(text.removeprefix('sqlite:///')).absolute()}"
    return text


def _is_secret(name: str, text: str) -> bool:
    if name != _DATABASE:
        return bool(text and _SECRET.search(name.upper()))
    try:
        url = make_url(text or "sqlite://")
    except ArgumentError:
        return True
    return url.password is not None or "password" in url.query

"""Settings: from `landyard.toml`, then `LANDYARD_*` environment variables, then flags."""

import os
import re
import tomllib
from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

S = TypeVar("S", bound=Struct)

FILE = "landyard.toml"
PREFIX = "LANDYARD_"
_KINDS = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "a text"}
_KINDS |= {"array": "a list"}
NOT_SETTINGS = (f"{PREFIX}CONFIG", f"{PREFIX}TEST_")


class SettingsError(Exception):
    """A setting is wrong; the text names it and where it was set."""


class Settings(Struct, frozen=True, kw_only=True):
    """What an operator can set. Sizes are bytes, times are seconds.

    `trusted_proxies` are the addresses or networks, separated by commas, whose `X-Forwarded-For`
    says where a call comes from; `*` is every one.

    A plugin that fails at start-up does not keep the service from starting, unless it is `strict`;
    where it is `safe`, no plugin is on at all.

    `plugins` holds the sections that belong to plugins, as they were written.
    """

    data: Path = Path("landyard-data")
    database_url: str = ""
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    public_base: str = ""
    time_zone: str = "UTC"
    max_body: int = 32 * 1024 * 1024
    threads: int = 4
    log_level: str = "info"
    log_format: str = "console"
    shutdown_grace: int = 30
    trusted_proxies: str = "127.0.0.1,::1"
    strict: bool = False
    safe: bool = False
    plugins: dict[str, dict[str, Any]] = {}

    @property
    def database(self) -> str:
        """The database's URL; by default an SQLite file in the data directory."""
        return self.database_url or f"sqlite:///{self.data.absolute() / 'landyard.db'}"

    @property
    def base(self) -> str:
        """Where the service is reached, without a slash at the end; by default what it serves."""
        if self.public_base:
            return self.public_base.rstrip("/")
        anywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - a look-up, no binding
        host = anywhere.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def zone(self) -> ZoneInfo:
        """The time zone that dates are written in."""
        return ZoneInfo(self.time_zone)


def load_settings(
    environ: Mapping[str, str] = os.environ,
    *,
    file: Path | None = None,
    flags: Mapping[str, object] = MappingProxyType({}),
) -> Settings:
    """Merge the three sources; raises `SettingsError` for what cannot be used.

    `file` is read when it exists; without it `LANDYARD_CONFIG` names it, else `landyard.toml`.
    In the environment a plugin's setting is `LANDYARD_<PLUGIN>__<NAME>`, a list is
    comma-separated. A flag that is None was not given.
    """
    named = environ.get(f"{PREFIX}CONFIG")
    path = file or Path(named or FILE)
    if file is None and named and not path.exists():
        raise SettingsError(f"{PREFIX}CONFIG: there is no file {path}")
    known = {field.name for field in msgspec.structs.fields(Settings)} - {"plugins"}
    merged: dict[str, Any] = {}
    plugins: dict[str, dict[str, Any]] = {}
    for key, value in _from_file(path).items():
        if isinstance(value, dict):
            plugins[key] = dict(value)
        elif key in known:
            merged[key] = value
        else:
            raise SettingsError(f"{path}: there is no setting '{key}'")
    for variable, text in environ.items():
        if not variable.startswith(PREFIX) or variable.startswith(NOT_SETTINGS):
            continue
        section, _, key = variable[len(PREFIX) :].lower().rpartition("__")
        if section:
            plugins.setdefault(section, {})[key] = text
        elif key in known:
            merged[key] = text
        else:
            raise SettingsError(f"{variable}: there is no setting '{key}'")
    merged.update({key: value for key, value in flags.items() if value is not None})
    return _checked(_convert({**merged, "plugins": plugins}, Settings, "settings"))


def read_section(section: type[S], name: str, written: Mapping[str, Any]) -> S:
    """Read the section `name` of a plugin into its Struct; raises `SettingsError`."""
    known = {field.name: field for field in msgspec.structs.fields(section)}
    values = dict(written)
    for key, value in written.items():
        if key not in known:
            raise SettingsError(f"there is no setting '{name}.{key}'")
        if isinstance(value, str) and "list" in str(known[key].type):
            values[key] = [item.strip() for item in value.split(",") if item.strip()]
    return _convert(values, section, name)


def _from_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from error


def _convert(values: Mapping[str, Any], struct: type[S], name: str) -> S:
    try:
        return msgspec.convert(values, struct, strict=False, dec_hook=_to_path)
    except msgspec.ValidationError as error:
        raise SettingsError(_explained(name, str(error))) from error


def _explained(name: str, error: str) -> str:
    """Say in an operator's words what msgspec found, e.g. `uploads.allow_svg: must be …`."""
    text, _, field = error.partition(" - at `$.")
    kind = re.match("Expected `([a-z]+)`(?:, got| ([<>=]+ [0-9.]+))", text)
    path = ".".join(
        part for part in ("" if name == "settings" else name, field.rstrip("`")) if part
    )
    if kind is None or kind[1] not in _KINDS:
        return f"{path}: {text}"
    return f"{path}: must be {_KINDS[kind[1]]}{f' {kind[2]}' if kind[2] else ''}"


def _to_path(kind: type, value: object) -> object:
    if kind is Path and isinstance(value, str) and value:
        return Path(value)
    raise TypeError(f"Expected `{kind.__name__}`")


def _checked(settings: Settings) -> Settings:
    try:
        _ = settings.zone
    except (KeyError, ValueError, OSError) as error:
        raise SettingsError(f"time_zone: '{settings.time_zone}' is not a time zone") from error
    if settings.log_format not in ("console", "json"):
        raise SettingsError("log_format: must be console or json")
    if settings.log_level not in ("debug", "info", "warning", "error"):
        raise SettingsError("log_level: must be debug, info, warning or error")
    if settings.public_base and not settings.public_base.startswith(("http://", "https://")):
        raise SettingsError("public_base: must begin with http:// or https://")
    if not 1 <= settings.port <= 65535:
        raise SettingsError("port: must be 1 to 65535")
    for name in ("max_body", "threads", "shutdown_grace", "workers"):
        if getattr(settings, name) < 1:
            raise SettingsError(f"{name}: must be 1 or more")
    _check_proxies(settings.trusted_proxies)
    return settings


def _check_proxies(text: str) -> None:
    """Refuse what the server would take for a name, and then trust nobody for."""
    if text in {"", "*"}:
        return
    for part in (each.strip() for each in text.split(",")):
        try:
            ip_network(part) if "/" in part else ip_address(part)
        except ValueError as error:
            alone = "; '*' stands alone" if part == "*" else ""
            raise SettingsError(
                f"trusted_proxies: '{part}' is no address and no network{alone}"
            ) from error

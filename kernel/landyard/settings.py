"""Reads the settings from `landyard.toml`, then `LANDYARD_*` environment variables, then flags."""

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_network
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta, Struct

S = TypeVar("S", bound=Struct)

FILE = "landyard.toml"
PREFIX = "LANDYARD_"
_TYPES = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "str": "a text",
}
NOT_SETTINGS = (f"{PREFIX}CONFIG", f"{PREFIX}TEST_")
# Kubernetes sets these in every pod for a Service called landyard, or landyard-something.
_OTHERS = re.compile(r"LANDYARD_(?!\w+__)(\w+_)?(SERVICE_(HOST|PORT\w*)=|PORT(_\d+_\w+=|=\w+://))")
MOST_WORKERS = 64


class SettingsError(Exception):
    """Settings are wrong; each of `args` names one. `right` are the settings without those.

    `sections` are those of the plugin whose settings are wrong.
    """

    right: "Settings | None" = None

    def __init__(self, *args: str, sections: Iterable[str] = ()) -> None:
        super().__init__(*args)
        self.sections = frozenset(sections)

    def __str__(self) -> str:
        return "\n".join(self.args)


class Settings(Struct, frozen=True, kw_only=True):
    """The settings of an operator. Sizes are bytes, times are seconds.

    `data`: the data directory, with the SQLite file, the uploads and the counts.
    `database_url`: the database, such as `postgresql://user@host/name`; empty: SQLite in `data`.
    `host`: the address to listen on.
    `port`: the port to listen on.
    `workers`: processes that answer; one per core.
    `tls_certificate`: a PEM file to serve HTTPS with; `landyard certificate` makes one.
    `tls_key`: the file of its key, if that is not in the same one.
    `public_base`: what addresses of pages begin with; empty: what is listened on.
    `time_zone`: the time zone that dates are written in.
    `max_body`: the largest body of a request.
    `threads`: for reads, in each worker; twice as many for slow calls and writes (SQLite: 4 times).
    `log_level`: `debug`, `info`, `warning` or `error`.
    `log_format`: `console` for people, `json` for programs.
    `shutdown_grace`: how long calls under way may take when the service stops.
    `worker_megabytes`: a worker with more memory is replaced; 0 is no bound.
    `trusted_proxies`: addresses or networks, with commas between, whose `X-Forwarded-For` header
    tells a caller's address; `*` trusts every one.
    `strict`: a plugin that fails keeps the service from starting.
    `safe`: every plugin is off.
    `plugins`: the plugins' sections, as they were written.
    `file_sections`: the names of those that the file has.
    """

    data: Path = Path("landyard-data")
    database_url: str = ""
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65535)] = 8000
    workers: Annotated[int, Meta(ge=1, le=MOST_WORKERS)] = 1
    tls_certificate: str = ""
    tls_key: str = ""
    public_base: str = ""
    time_zone: str = "UTC"
    max_body: Annotated[int, Meta(ge=1)] = 32 * 1024 * 1024
    threads: Annotated[int, Meta(ge=1, le=64)] = 4
    log_level: str = "info"
    log_format: str = "console"
    shutdown_grace: Annotated[int, Meta(ge=1)] = 30
    worker_megabytes: Annotated[int, Meta(ge=0)] = 1024
    trusted_proxies: str = "127.0.0.1,::1"
    strict: bool = False
    safe: bool = False
    plugins: dict[str, dict[str, Any]] = {}
    file_sections: frozenset[str] = frozenset()

    @property
    def database(self) -> str:
        """The database's URL; by default an SQLite file in the data directory."""
        return self.database_url or f"sqlite:///{self.data.absolute() / 'landyard.db'}"

    @property
    def base(self) -> str:
        """Where the service is reached, without a slash at the end; by default what it serves."""
        if self.public_base:
            return self.public_base.rstrip("/")
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - none
        scheme = "https" if self.tls_certificate else "http"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.port}"

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
    """Merge the three sources; raises `SettingsError` for what is wrong in them.

    `file` is read if it exists; by default it is what `LANDYARD_CONFIG` names, else
    `landyard.toml`. In the environment a plugin's setting is `LANDYARD_<PLUGIN>__<NAME>`, and a
    list is JSON, or has commas between. A table is JSON. A flag that is None was not given.
    """
    named = environ.get(f"{PREFIX}CONFIG")
    path = file or Path(named or FILE)
    if file is None and named and not path.exists():
        raise SettingsError(f"{PREFIX}CONFIG: there is no file {path}")
    sections: dict[str, dict[str, Any]] = {}
    merged: dict[str, Any] = {}
    labels: dict[str, str] = {}
    for key, value in _from_file(path).items():
        if isinstance(value, dict):
            sections[key] = dict(value)
        else:
            merged[key], labels[key] = value, f"{key} in {path}"
    in_file = frozenset(sections)
    for variable, text in environ.items():
        if not variable.startswith(PREFIX) or variable.startswith(NOT_SETTINGS):
            continue
        section, _, key = variable[len(PREFIX) :].lower().rpartition("__")
        if section:
            sections.setdefault(section, {})[key] = text
        elif not foreign_variables({variable: text}):
            merged[key], labels[key] = text, variable
    merged.update({key: value for key, value in flags.items() if value is not None})
    settings, wrong = _read(merged, Settings, labels)
    settings = msgspec.structs.replace(settings, plugins=sections, file_sections=in_file)
    if wrong := [*wrong, *_wrong_values(settings)]:
        error = SettingsError(*wrong)
        error.right = settings
        raise error
    return settings


def foreign_variables(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Name the variables that Kubernetes sets for a Service called landyard: no settings."""
    return sorted(name for name, text in environ.items() if _OTHERS.match(f"{name}={text}"))


def read_section(section: type[S], name: str, written: Mapping[str, Any]) -> S:
    """Read the section `name` of a plugin into its Struct; raises `SettingsError`."""
    settings, wrong = _read(written, section, {key: f"{name}.{key}" for key in written})
    if wrong:
        raise SettingsError(*wrong)
    return settings


def suggestion(word: str, known: Iterable[str]) -> str:
    """Ask whether the nearest of the `known` words was meant; empty where none is near."""
    import difflib  # slow to import

    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.7)
    return f"; did you mean '{near[0]}'?" if near else ""


def _items(text: str) -> Any:
    if text.startswith(("[", "{")):
        with contextlib.suppress(msgspec.DecodeError):
            return msgspec.json.decode(text)
        return text  # which is refused, for it is no list and no table
    return [item.strip() for item in text.split(",") if item.strip()]


def _from_file(path: Path) -> dict[str, Any]:
    try:
        if not path.exists():
            return {}
        import tomllib  # slow to import

        return tomllib.loads(path.read_text())
    except (OSError, ValueError) as error:  # it is no file, no text or no TOML
        raise SettingsError(f"{path}: {error}") from error


def _read(values: Mapping[str, Any], kind: type[S], labels: dict[str, str]) -> tuple[S, list[str]]:
    """Convert the right values, and explain the fault of every wrong one."""
    kinds = {field.name: field.type for field in msgspec.structs.fields(kind)}
    right: dict[str, Any] = {}
    wrong: list[str] = []
    for key, written in values.items():
        label = labels.get(key, key)
        if key not in kinds:
            wrong.append(f"there is no setting {label}{suggestion(key, kinds)}")
            continue
        has_items = any(each in str(kinds[key]) for each in ("list", "dict["))
        value = _items(written) if has_items and isinstance(written, str) else written
        try:
            right[key] = msgspec.convert(value, kinds[key], strict=False, dec_hook=_to_path)
        except msgspec.ValidationError as error:
            wrong.append(_explained(label, str(error)))
    return kind(**right), wrong


def _explained(path: str, error: str) -> str:
    """Translate msgspec's message for operators, e.g. `uploads.allow_svg: must be …`."""
    text, _, inside = error.partition(" - at `$")
    path += inside.rstrip("`")
    kind = re.match("Expected `([a-z]+)`(?:, got| ([<>=]+ [0-9.]+))", text)
    if kind is None or kind[1] not in _TYPES:
        return f"{path}: {text}"
    return f"{path}: must be {_TYPES[kind[1]]}{f' {kind[2]}' if kind[2] else ''}"


def _to_path(kind: type, value: object) -> object:
    if kind is Path and isinstance(value, str) and value:
        return Path(value)
    raise TypeError(f"Expected `{kind.__name__}`")


def _wrong_base(base: str) -> str:
    """Say what is wrong with an address that addresses of pages and files begin with."""
    if not base.startswith(("http://", "https://")):
        return "must begin with http:// or https://"
    if not re.fullmatch(r"[!-\[\]-~]+", base):  # no backslash: browsers take it for a slash
        return "must be plain ASCII without spaces; write an international host in punycode"
    try:
        parts = urlsplit(base)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or port == 0 or parts.netloc.endswith(":"):
        return "must have a host, and after a colon a port, e.g. https://example.org:8443"
    if "@" in parts.netloc:
        return "must have no user and no password: visitors would see them"
    if parts.path in {"", "/"} and not {"?", "#"} & {*base}:
        return ""
    return (
        f"must end behind the host, here at {parts.scheme}://{parts.netloc}:"
        " the service answers at the root of a host alone"
    )


def _wrong_values(settings: Settings) -> Iterator[str]:
    try:
        _ = settings.zone
    except (KeyError, ValueError, OSError):
        yield f"time_zone: '{settings.time_zone}' is not a time zone"
    for name in ("tls_certificate", "tls_key"):
        if (path := getattr(settings, name)) and not Path(path).is_file():
            yield f"{name}: there is no file {path}"
    if settings.log_format not in ("console", "json"):
        yield "log_format: must be console or json"
    if settings.log_level not in ("debug", "info", "warning", "error"):
        yield "log_level: must be debug, info, warning or error"
    if settings.public_base and (wrong := _wrong_base(settings.public_base)):
        yield f"public_base: {wrong}"
    if settings.trusted_proxies not in {"", "*"}:
        # The server would take what is no address for a name, and trust nobody.
        for part in map(str.strip, settings.trusted_proxies.split(",")):
            try:
                ip_network(part)
            except ValueError:
                yield f"trusted_proxies: '{part}' is no address and no network; '*' stands alone"

"""The parser of http and https addresses, into the parts that are checked and used (U5)."""

import re
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from msgspec import Struct

from landyard_outgoing.destinations import IP
from landyard_outgoing.refusals import Reason, Refused

if TYPE_CHECKING:
    from urllib3.util import Url

_PORTS = {"http": 80, "https": 443}
_LONGEST = 8000  # characters; RFC 9110, 4.1 asks for as many
# Some parsers read a backslash as a slash, others do not.
_MISREAD = re.compile(r"[\x00-\x1f\x7f-\x9f\\]")
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")
# `127.1`, `0x7f.1`, `2130706433`: the system's resolver accepts these as addresses.
_NUMBER = re.compile(r"(?:\d+|0x[0-9a-f]*)\Z")


class Target(Struct, frozen=True):
    """`host`: a name in lower case and ASCII, or an IP address; `ip`: that address, or None."""

    url: str
    scheme: str
    host: str
    port: int
    path: str
    ip: IP | None

    @property
    def authority(self) -> str:
        """The value of the header `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def among(self, hosts: Collection[str]) -> bool:
        """Tell whether the host, or the host with its port, is in `hosts`."""
        return not {self.host, f"{self.host}:{self.port}"}.isdisjoint(hosts)


def read_target(url: str) -> Target:
    """Parse an address; raises `Refused`."""
    from urllib3.exceptions import LocationParseError  # imported late: slow, and few need it
    from urllib3.util import parse_url

    url = url.strip()
    if len(url) > _LONGEST or _MISREAD.search(url):
        raise Refused(Reason.UNREADABLE)
    try:
        parts = parse_url(url)
    except LocationParseError as unreadable:
        raise Refused(Reason.UNREADABLE) from unreadable
    if parts.scheme not in _PORTS:
        raise Refused(Reason.SCHEME)
    if parts.auth is not None:
        raise Refused(Reason.USER)
    host, ip = _host(parts)
    port = _PORTS[parts.scheme] if parts.port is None else parts.port
    return Target(parts.url, parts.scheme, host, port, parts.request_uri, ip)


def read_redirect(source: Target, location: str) -> Target:
    """Parse the address to which a target redirects; raises `Refused`."""
    if _MISREAD.search(location := _decoded(location)):
        raise Refused(Reason.UNREADABLE)
    try:
        target = read_target(urljoin(source.url, location))
    except ValueError as unreadable:
        raise Refused(Reason.UNREADABLE) from unreadable
    if source.scheme == "https" != target.scheme:
        raise Refused(Reason.DOWNGRADE)
    return target


def _host(parts: "Url") -> tuple[str, IP | None]:
    host = parts.host or ""
    try:
        if host.startswith("["):
            ip: IP = IPv6Address(host.strip("[]"))
            return str(ip), ip
        host = host.removesuffix(".")
        if _NUMBER.match(host.rpartition(".")[2]):
            return host, IPv4Address(host)
    except ValueError as unreadable:
        raise Refused(Reason.HOST) from unreadable
    if not _NAME.fullmatch(host):
        raise Refused(Reason.HOST)
    return host, None


def _decoded(location: str) -> str:
    """Decode a header's bytes as UTF-8; raises `Refused`."""
    try:
        return location.encode("latin-1").decode()
    except UnicodeError as unreadable:
        raise Refused(Reason.UNREADABLE) from unreadable

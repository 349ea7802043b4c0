"""Normalises the spelling of hosts, and recognises the service's own hosts (P11)."""

import re
import socket
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Any, Self
from urllib.parse import urlsplit

from msgspec import Struct

from landyard import Record, Settings, spelt

Sections = Callable[[type[Any]], Any]
"""Finds settings by their type, as `Call.settings` and `Kernel.section` do."""

_LONGEST = 300  # characters of a host; a longer text is no host
_PORT = re.compile(r":[0-9]*$")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_EVERYWHERE = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - compared with, not listened on


class OwnHost(Record, frozen=True):
    """A host at which a plugin answers, so that no site may have it as its domain.

    `find(sections)` reads the host from the settings, such as `sections(MySettings).host`, or
    returns "" for none.
    """

    name: str
    find: Callable[[Sections], str]

    @property
    def key(self) -> str:
        return self.name


class OwnHosts(Struct, frozen=True):
    """The service's own hosts; `everywhere`: it listens on every address of the machine."""

    names: frozenset[str]
    everywhere: bool = False

    @classmethod
    def of(cls, sections: Sections, plugin_hosts: Iterable[OwnHost]) -> Self:
        """Collect the host of `public_base`, the host listened on, and the hosts of plugins."""
        settings = sections(Settings)
        hosts = [
            urlsplit(settings.base).netloc,
            settings.host,
            *(each.find(sections) for each in plugin_hosts),
        ]
        names = frozenset(map(plain_host, hosts)) - {""}
        return cls(names, plain_host(settings.host) in _EVERYWHERE)

    def have(self, host: str) -> bool:
        """Tell whether a host, in any spelling and with any port, is the service's own."""
        name = plain_host(host)
        if name == "localhost" or name in self.names:
            return True
        try:
            address = ip_address(name)
        except ValueError:
            return False
        return self.everywhere or address.is_loopback or address.is_unspecified


def plain_host(host: str) -> str:
    """Normalise a host: lower case, ASCII, no port, no brackets, no final dot.

    An IP address is written as Python writes it. "" for a text that is too long for a host.
    """
    return _plain(host) if len(host) <= _LONGEST else ""


@lru_cache(maxsize=1024)  # visitors send a few hosts again and again
def _plain(host: str) -> str:
    name = host.strip().lower()
    if not name.isascii():
        name = _in_ascii(name)
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = _PORT.sub("", name)
    name = name.removesuffix(".")
    return _plain_address(name)


def stored_host(typed: str) -> str:
    """Write a typed domain as browsers send it: in ASCII (IDNA), without a final dot.

    A port is kept. A text that is no host is returned as a text that `is_host` refuses.
    """
    host = spelt(typed).strip()
    port = _PORT.search(host)
    return plain_host(host.removesuffix(port[0])) + port[0] if port else plain_host(host)


def _in_ascii(name: str) -> str:
    import idna  # imported here: few hosts have other letters than ASCII

    try:
        return idna.encode(name, uts46=True).decode()
    except idna.IDNAError:  # with a port, an address in wide digits, or no host at all
        folded = unicodedata.normalize("NFKC", name).lower()
        folded = re.sub("[\u3002\uff0e\uff61]", ".", folded)
        bare, port = _PORT.sub("", folded), _PORT.search(folded)
        if not bare.isascii() and bare != name:
            return _in_ascii(bare) + (port[0] if port else "")
        return folded


def _plain_address(name: str) -> str:
    """Write an IP address as Python does; `127.1`, `0x7f000001`, `::ffff:127.0.0.1` are equal."""
    try:
        if ":" in name:
            address = IPv6Address(name.partition("%")[0])
            return str(address.ipv4_mapped or address)
        if _NUMBER.fullmatch(name.rpartition(".")[2]):
            return socket.inet_ntoa(socket.inet_aton(name))
    except (ValueError, OSError):
        pass
    return name

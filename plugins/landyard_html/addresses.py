"""Checks and normalises the addresses of links, pictures and frames."""

import html
import ipaddress
import re
from collections.abc import Set as AbstractSet
from urllib.parse import quote

_LINK_SCHEMES = frozenset(
    {"", "http", "https", "mailto", "tel", "sms", "tg", "viber", "whatsapp", "skype"}
)
_MEDIA_SCHEMES = frozenset({"", "http", "https"})
_QUERY_SCHEMES = frozenset({"", "http", "https", "mailto"})

# Browsers drop tabs and line ends anywhere in an address, so a scheme may hide behind them.
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_HEAD = re.compile(r"[^/?#\\]*")
# `page:#about`: an anchor of a page, which no browser follows by itself.
_PAGE_ANCHOR = re.compile(r"page:#[\w.-]*", re.IGNORECASE | re.ASCII)
_RASTER = re.compile(
    r"data:image/(?:png|jpe?g|gif|webp|avif);base64,[\w+/=%-]*", re.ASCII | re.IGNORECASE
)
_EMBED = re.compile(
    r"https://(?P<host>[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?(?::\d{1,5})?(?:[/?#][^\s\\]*)?",
    re.ASCII | re.IGNORECASE,
)
# Characters that could end a url('...'), an attribute or a srcset candidate.
_AWKWARD = re.compile(r"""[\s"'()<>\\`{}|^]""")


def link_address(value: str) -> str | None:
    """The address of a link, tidied, or None when it is refused (`H1`, `H3a`).

    Allowed: http, https, mailto, tel, sms, tg, viber, whatsapp, skype, relative addresses and
    page anchors, `#about` and `page:#about`.
    """
    address = _INVISIBLE.sub("", value).strip()
    if _PAGE_ANCHOR.fullmatch(address):
        return address
    return address if _schemes(address) <= _LINK_SCHEMES else None


def media_address(value: str) -> str | None:
    """The address of a picture, sound or film, ready for CSS and srcset, or None when refused.

    Allowed: http, https, relative addresses and base64 raster pictures.
    """
    address = _AWKWARD.sub(lambda found: quote(found[0]), _INVISIBLE.sub("", value).strip())
    if _RASTER.fullmatch(address):
        return address
    return address if _schemes(address) <= _MEDIA_SCHEMES else None


def picture_address(value: str, own_hosts: AbstractSet[str]) -> str | None:
    """`media_address`, with `http://` made `https://` unless the host is our own (`B10`)."""
    address = media_address(value)
    if address is None or address[:7].lower() != "http://":
        return address
    authority = _HEAD.match(address, 7)
    if authority and authority[0].lower() in {host.lower() for host in own_hosts}:
        return address
    return "https://" + address[7:]


def embed_address(
    value: str, own_hosts: AbstractSet[str] = frozenset(), hosts: AbstractSet[str] | None = None
) -> str | None:
    """The https address of a foreign frame, or None when it is refused (`H3`).

    A protocol-relative address becomes https. Hosts are compared without their ports. `hosts`
    are compared exactly: a subdomain is a different host.
    """
    address = _INVISIBLE.sub("", value).strip()
    if address.startswith("//"):
        address = "https:" + address
    found = _EMBED.fullmatch(address)
    if not found:
        return None
    host = found["host"].lower()
    if not _is_plain_host(host) or host in map(_bare_host, own_hosts):
        return None
    if hosts is not None and host not in map(_bare_host, hosts):
        return None
    return address


def with_query(address: str, query: str) -> str:
    """The address with `query` appended to its query string, before any fragment (`B10`)."""
    addition = quote(query.strip().lstrip("?&"), safe="!$%&'()*+,-./:;=?@_~[]")
    if not addition or not _schemes(address) <= _QUERY_SCHEMES:
        return address
    base, mark, fragment = address.partition("#")
    joint = "?" if "?" not in base else "" if base[-1] in "?&" else "&"
    return base + joint + addition + mark + fragment


def _schemes(address: str) -> set[str]:
    """The schemes a browser may read in this address: as written, and with references decoded."""
    return {_scheme(address), _scheme(_INVISIBLE.sub("", html.unescape(address)).strip())}


def _scheme(address: str) -> str:
    head = _HEAD.match(address)
    return head[0].partition(":")[0].lower() if head and ":" in head[0] else ""


def _bare_host(host: str) -> str:
    name, _, port = host.lower().rpartition(":")
    return (name if name and port.isdigit() else host.lower()).rstrip(".")


def _is_plain_host(host: str) -> bool:
    """Whether the host is no IPv4 address in a disguised spelling (`0x7f.1`, `2130706433`)."""
    last = host.rpartition(".")[2]
    if not re.fullmatch(r"\d+|0x[0-9a-f]*", last):
        return True
    try:
        return str(ipaddress.IPv4Address(host)) == host
    except ValueError:
        return False

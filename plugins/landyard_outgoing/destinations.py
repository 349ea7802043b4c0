"""Tells whether an IP address is on the public internet, with all special networks (U5).

`ipaddress` is no substitute: its global addresses change with Python's patch releases, and include
multicast, relays, translators and a cloud's own services. So every special network is listed here,
with its name and source. In IPv6 only the range assigned for public use is public.

IPv6 ranges that embed IPv4 addresses are refused as a whole: public hosts have plain addresses, and
a translator or tunnel may lead into the server's own network. (Private prefixes for NAT64 or 6rd
cannot be known here: do not use them on servers.)
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

from msgspec import Struct

IP = IPv4Address | IPv6Address


class Special(Struct, frozen=True):
    """A network without public hosts; `source` is the document that defines it."""

    network: IPv4Network | IPv6Network
    name: str
    source: str


# The registries are IANA's: IPv4 and IPv6 Special-Purpose Address Space, IPv6 Global Unicast
# Address Space. A narrower network comes before a wider one, so that its name is found first.
SPECIAL = tuple(
    Special(ip_network(network), name, source)
    for network, name, source in (
        ("0.0.0.0/8", "this network", "RFC 791"),
        ("10.0.0.0/8", "private", "RFC 1918"),
        ("100.64.0.0/10", "carrier-grade NAT", "RFC 6598"),
        ("127.0.0.0/8", "loopback", "RFC 1122"),
        ("168.63.129.16/32", "cloud metadata", "Azure: IP address 168.63.129.16"),
        ("169.254.0.0/16", "link-local", "RFC 3927"),
        ("172.16.0.0/12", "private", "RFC 1918"),
        ("192.0.0.0/24", "protocol assignments", "RFC 6890"),
        ("192.0.2.0/24", "documentation", "RFC 5737"),
        ("192.31.196.0/24", "AS112", "RFC 7535"),
        ("192.52.193.0/24", "AMT relay", "RFC 7450"),
        ("192.88.99.0/24", "6to4 relay", "RFC 7526"),
        ("192.168.0.0/16", "private", "RFC 1918"),
        ("192.175.48.0/24", "AS112", "RFC 7534"),
        ("198.18.0.0/15", "benchmarking", "RFC 2544"),
        ("198.51.100.0/24", "documentation", "RFC 5737"),
        ("203.0.113.0/24", "documentation", "RFC 5737"),
        ("224.0.0.0/4", "multicast", "RFC 1112"),
        ("255.255.255.255/32", "broadcast", "RFC 919"),
        ("240.0.0.0/4", "reserved", "RFC 1112"),
        ("::/128", "unspecified", "RFC 4291"),
        ("::1/128", "loopback", "RFC 4291"),
        ("::/96", "IPv4-compatible", "RFC 4291"),
        ("::ffff:0:0/96", "IPv4-mapped", "RFC 4291"),
        ("::ffff:0:0:0/96", "IPv4-translated", "RFC 7915"),
        ("64:ff9b::/96", "NAT64", "RFC 6052"),
        ("64:ff9b:1::/48", "NAT64", "RFC 8215"),
        ("100::/64", "discard", "RFC 6666"),
        ("100:0:0:1::/64", "dummy", "RFC 9780"),
        ("2001::/32", "Teredo", "RFC 4380"),
        ("2001:2::/48", "benchmarking", "RFC 5180"),
        ("2001:3::/32", "AMT relay", "RFC 7450"),
        ("2001:4:112::/48", "AS112", "RFC 7535"),
        ("2001:10::/28", "ORCHID", "RFC 4843"),
        ("2001:20::/28", "ORCHID", "RFC 7343"),
        ("2001:30::/28", "DRIP", "RFC 9374"),
        ("2001::/23", "protocol assignments", "RFC 2928"),
        ("2001:db8::/32", "documentation", "RFC 3849"),
        ("2002::/16", "6to4", "RFC 3056"),
        ("2620:4f:8000::/48", "AS112", "RFC 7534"),
        ("3ffe::/16", "6bone", "RFC 3701"),
        ("3fff::/20", "documentation", "RFC 9637"),
        ("5f00::/16", "segment routing", "RFC 9602"),
        ("fc00::/7", "unique local", "RFC 4193"),
        ("fe80::/10", "link-local", "RFC 4291"),
        ("fec0::/10", "site-local", "RFC 3879"),
        ("ff00::/8", "multicast", "RFC 4291"),
    )
)
_HANDED_OUT = IPv6Network("2000::/3")  # RFC 4291, RFC 7249
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})  # before the IPv4 address: RFC 5214, 6.1


def special_use(address: IP) -> str | None:
    """Return the special use of an address; None for a host on the public internet."""
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return "scoped"
    for special in SPECIAL:
        if address in special.network:
            return special.name
    if isinstance(address, IPv6Address):
        if address not in _HANDED_OUT:
            return "not handed out"
        if int(address) >> 32 & 0xFFFFFFFF in _ISATAP:
            return "ISATAP"
    return None

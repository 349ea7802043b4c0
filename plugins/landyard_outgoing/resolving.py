"""The look-up of a host name's IP addresses, within a time limit.

`getaddrinfo` has no time limit, and a thread waiting for it cannot be ended.
"""

from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING

from landyard_outgoing.destinations import IP
from landyard_outgoing.refusals import Reason, Refused

if TYPE_CHECKING:
    from dns.resolver import Resolver

_LOOPBACK = tuple(map(ip_address, ("127.0.0.1", "::1")))

# Looks up a name within some seconds; an empty result means the same as `Refused`.
Resolve = Callable[[str, float], Sequence[IP]]


def resolve(name: str, seconds: float) -> Sequence[IP]:
    """Return the addresses of a name in lower case and ASCII, IPv4 first; raises `Refused`.

    It may exceed the limit by the pause between two tries. The system's search list and
    `/etc/hosts` are not used.
    """
    if name == "localhost" or name.endswith(".localhost"):
        return _LOOPBACK  # RFC 6761, 6.3: no name server is asked
    # Imported late: it takes a fifth of a second and most workers never need it.
    from dns.exception import DNSException
    from dns.resolver import Resolver

    try:
        return ask(Resolver(), name, seconds)
    except DNSException as failure:
        raise Refused(Reason.NOT_FOUND) from failure


def ask(resolver: "Resolver", name: str, seconds: float) -> list[IP]:
    """Return the addresses from a resolver's servers; raises `DNSException` for an unknown name."""
    from dns.exception import DNSException
    from dns.name import from_text
    from dns.resolver import NXDOMAIN

    dns_name = from_text(name)
    addresses: list[IP] = []
    for kind in ("A", "AAAA"):
        # Each query gets half of the remaining time, so that time is left for the download.
        seconds /= 2
        try:
            answer = resolver.resolve(dns_name, kind, lifetime=seconds)
        except (DNSException, OSError) as failure:
            # Some servers answer NXDOMAIN for a name that only lacks IPv6 addresses.
            if isinstance(failure, NXDOMAIN) and not addresses:
                raise
            continue
        addresses += [ip_address(record.address) for record in answer]
    return addresses

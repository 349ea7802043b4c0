"""Looks up the IP addresses of a host name, within a time limit.

`getaddrinfo` knows no time limit, and a thread that waits for it cannot be ended.
"""

from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING

from landyard_outgoing.destinations import IP
from landyard_outgoing.refusals import Reason, Refused

if TYPE_CHECKING:
    from dns.resolver import Resolver

_OURS = tuple(map(ip_address, ("127.0.0.1", "::1")))

# Of a name within so many seconds; none at all are as good as `Refused`.
Resolve = Callable[[str, float], Sequence[IP]]


def resolve(name: str, seconds: float) -> Sequence[IP]:
    """Ask for the addresses of a name in lower case and ASCII, IPv4 first; raises `Refused`.

    It may be late by the pause between two tries. The name is taken as it is: the system's search
    list and `/etc/hosts` play no part.
    """
    if name == "localhost" or name.endswith(".localhost"):
        return _OURS  # RFC 6761, 6.3: no name server is asked
    # Late, since it takes a fifth of a second and most workers never need it.
    from dns.exception import DNSException
    from dns.resolver import Resolver

    try:
        return ask(Resolver(), name, seconds)
    except DNSException as failure:
        raise Refused(Reason.NOT_FOUND) from failure


def ask(resolver: "Resolver", name: str, seconds: float) -> list[IP]:
    """Ask the servers of a resolver; raises `DNSException` if there is no such name."""
    from dns.exception import DNSException
    from dns.name import from_text
    from dns.resolver import NXDOMAIN

    asked = from_text(name)
    found: list[IP] = []
    for kind in ("A", "AAAA"):
        # The second has half of what the first had: a picture is to be fetched yet.
        seconds /= 2
        try:
            answer = resolver.resolve(asked, kind, lifetime=seconds)
        except (DNSException, OSError) as failure:
            # There are servers that say so of a name that has no address of the second kind.
            if isinstance(failure, NXDOMAIN) and not found:
                raise
            continue
        found += [ip_address(record.address) for record in answer]
    return found

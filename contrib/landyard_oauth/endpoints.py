"""What apps are told of the service beside their tokens: its domain, addresses and name."""

import hashlib
from urllib.parse import urlsplit

from msgspec import Struct

from landyard import Host


class Endpoints(Struct, frozen=True):
    """Where a service is: clients find its methods at `client_endpoint`.

    Of `server_endpoint` they make the address of tokens: `/oauth/token/` in place of `/rest/`.
    `member_id` names the service: 32 hex digits, made of its address.
    """

    domain: str
    client_endpoint: str
    server_endpoint: str
    member_id: str


def endpoints_of(host: Host) -> Endpoints:
    """Describe a service by the address that its settings give it."""
    base = host.settings.base
    rest = f"{base}/rest/"
    return Endpoints(
        urlsplit(base).netloc, rest, rest, hashlib.sha256(base.encode()).hexdigest()[:32]
    )

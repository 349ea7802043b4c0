"""The description of the service that apps get with their tokens: domain and addresses."""

import hashlib
from urllib.parse import urlsplit

from msgspec import Struct

from landyard import Host


class Endpoints(Struct, frozen=True):
    """The service's addresses; methods are under `client_endpoint`.

    Clients derive the token address from `server_endpoint`: `/oauth/token/` in place of `/rest/`.
    `member_id` identifies the service: 32 hex digits, a hash of its address.
    """

    domain: str
    client_endpoint: str
    server_endpoint: str
    member_id: str


def endpoints_of(host: Host) -> Endpoints:
    """Return the endpoints of a service at the base address from its settings."""
    base = host.settings.base
    rest = f"{base}/rest/"
    return Endpoints(
        urlsplit(base).netloc, rest, rest, hashlib.sha256(base.encode()).hexdigest()[:32]
    )

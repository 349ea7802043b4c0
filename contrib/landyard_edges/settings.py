"""The settings in section `[edges]`: caches in front of the service, and how to reach them."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

LONGEST = 20.0  # seconds; a purge interrupted by a dying process is retried only after this time

_Url = Annotated[str, Meta(pattern=r"^https?://[^\s/]+(/\S*)?$")]
_Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,100}$")]


class Varnish(Struct, frozen=True):
    """A Varnish with the VCL of docs/deploy: `url` is its address for purges.

    `tags`: the most tags of a request; all of them have to fit one header.
    """

    url: _Url
    tags: Annotated[int, Meta(ge=1, le=10_000)] = 200


class Fastly(Struct, frozen=True):
    """A service at Fastly, by its id; the token needs the scope `purge_select`."""

    service: _Name
    token: str
    tags: Annotated[int, Meta(ge=1, le=256)] = 256
    url: _Url = "https://api.fastly.com"


class Cloudflare(Struct, frozen=True):
    """A zone at Cloudflare, by its id; the token needs the permission to purge the zone's cache.

    `requests_a_minute`: the limit of the account's plan, 5 for the free one.
    """

    zone: _Name
    token: str
    tags: Annotated[int, Meta(ge=1, le=100)] = 100
    requests_a_minute: Annotated[int, Meta(ge=1, le=3000)] = 5
    url: _Url = "https://api.cloudflare.com/client/v4"


Edge = Varnish | Fastly | Cloudflare


class EdgeSettings(Struct, frozen=True):
    """`varnish`, `fastly` and `cloudflare`: the edges of each kind, by names of your choice.

    `seconds`: how long an edge may take to answer a purge.
    """

    varnish: dict[str, Varnish] = {}
    fastly: dict[str, Fastly] = {}
    cloudflare: dict[str, Cloudflare] = {}
    seconds: Annotated[float, Meta(gt=0, le=LONGEST)] = 5.0


def edges_of(settings: EdgeSettings) -> dict[str, Edge]:
    """Return all edges, by names such as `varnish.front`."""
    kinds: dict[str, Mapping[str, Edge]] = {
        "varnish": settings.varnish,
        "fastly": settings.fastly,
        "cloudflare": settings.cloudflare,
    }
    return {f"{kind}.{name}": edge for kind, named in kinds.items() for name, edge in named.items()}

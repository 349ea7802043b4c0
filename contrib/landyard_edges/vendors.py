"""The purge requests of Varnish, Fastly and Cloudflare, and their limits."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from landyard_edges.settings import Cloudflare, Edge, Fastly, Varnish
from landyard_outgoing import Answer, Limits, post

_ANSWER = 64 * 1024  # bytes that are read of an answer


class Purge(Struct, frozen=True):
    """A request that makes an edge forget all answers with one of some tags."""

    url: str
    headers: Mapping[str, str]
    body: bytes = b""


def purge_of(edge: Edge, tags: Sequence[str]) -> Purge:
    """Write the request in the vendor's form."""
    spaced = " ".join(tags)
    match edge:
        case Varnish():
            return Purge(edge.url, {"xkey-purge": spaced})
        case Fastly():
            url = f"{edge.url.rstrip('/')}/service/{edge.service}/purge"
            return Purge(url, {"Fastly-Key": edge.token, "Surrogate-Key": spaced})
        case Cloudflare():
            url = f"{edge.url.rstrip('/')}/zones/{edge.zone}/purge_cache"
            headers = {"Authorization": f"Bearer {edge.token}", "Content-Type": "application/json"}
            return Purge(url, headers, msgspec.json.encode({"tags": tags}))


def pause_of(edge: Edge) -> float:
    """Return the least seconds between two requests."""
    return 60 / edge.requests_a_minute if isinstance(edge, Cloudflare) else 0.0


def send(edge: Edge, tags: Sequence[str], seconds: float) -> Answer:
    """Make an edge forget tags, and return its answer; raises `Refused`."""
    purge = purge_of(edge, tags)
    # The operator names the host in the settings, so it may be one of the own network.
    limits = Limits(seconds=seconds, max_bytes=_ANSWER, allow_hosts=[urlsplit(edge.url).netloc])
    return post(purge.url, purge.body, purge.headers, limits)

"""Texts that plugins add to the 404 page at the service's root."""

from collections.abc import Callable
from typing import Any

from landyard import Host, PublicAnswer, Record

ROOT = "/"
"""The path of the service's root, at which welcomes are shown."""


class Welcome(Record, frozen=True):
    """A plugin's text for the page that is shown at the root where no page is published.

    `write(host, request)` gets the route's request, and returns HTML, or "" for this visitor.
    """

    name: str
    write: Callable[[Host, Any], str]

    @property
    def key(self) -> str:
        return self.name


def welcomed(host: Host, request: Any, answer: PublicAnswer) -> PublicAnswer:
    """Add the plugins' texts for this visitor to a 404 page; return it unchanged without any."""
    welcomes = host.records(Welcome).values()
    texts = "".join(each.write(host, request) for each in welcomes).encode()
    if not texts:
        return answer
    body = answer.body.replace(b"</main>", texts + b"</main>")
    length = str(len(body)).encode()
    headers = tuple(
        (name, length if name == b"content-length" else value) for name, value in answer.headers
    )
    return PublicAnswer(answer.status, headers, body)

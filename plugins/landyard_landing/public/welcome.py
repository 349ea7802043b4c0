"""A welcome: what a plugin tells a visitor at the service's root where no page is published."""

from collections.abc import Callable
from typing import Any

from landyard import Host, PublicAnswer, Record

ROOT = "/"
"""The path that a welcome stands at."""


class Welcome(Record, frozen=True):
    """Something to add to the page that says that nothing is published at the root.

    `write(host, request)` is given the route's request. It returns HTML, or "" for this visitor.
    """

    name: str
    write: Callable[[Host, Any], str]

    @property
    def key(self) -> str:
        return self.name


def welcomed(host: Host, request: Any, answer: PublicAnswer) -> PublicAnswer:
    """Add what each plugin tells this visitor to the page of an address that leads nowhere."""
    known = host.records(Welcome).values()
    told = "".join(each.write(host, request) for each in known).encode()
    if not told:
        return answer
    body = answer.body.replace(b"</main>", told + b"</main>")
    length = str(len(body)).encode()
    headers = tuple(
        (name, length if name == b"content-length" else value) for name, value in answer.headers
    )
    return PublicAnswer(answer.status, headers, body)

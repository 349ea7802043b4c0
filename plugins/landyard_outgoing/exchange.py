"""An HTTP exchange with a host whose addresses are all checked first (U4, U5).

The connection goes to one of the checked addresses, so changing a name's addresses meanwhile has no
effect.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from landyard_outgoing.connecting import Deadline, Dial, Line, connect, secure
from landyard_outgoing.destinations import IP, special_use
from landyard_outgoing.refusals import Reason, Refused
from landyard_outgoing.resolving import Resolve
from landyard_outgoing.targets import Target, read_target

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

_HEAD = 64 * 1024  # bytes of the status line and headers


class Limits(Struct, frozen=True):
    """The limits of a request: hosts, ports, time and size.

    `seconds` limit the whole exchange, from looking up the name to the last byte. `max_bytes` limit
    the content. `allow_hosts`: hosts, or hosts with a port, that are allowed although not public,
    at any port. `max_redirects` and `at_once` (downloads running in the process) are for `fetch`.
    """

    seconds: float = 10.0
    max_bytes: int = 1024 * 1024
    ports: Collection[int] = (80, 443)
    allow_hosts: Collection[str] = ()
    max_redirects: int = 5
    at_once: int = 4

    def allow(self, target: Target) -> bool:
        """Tell whether a target is in `allow_hosts`; raises `Refused` for a wrong port."""
        allowed = target.among(self.allow_hosts)
        if not allowed and target.port not in self.ports:
            raise Refused(Reason.PORT)
        return allowed


def check(url: str, limits: Limits) -> None:
    """Raise `Refused` for an address that can be refused without looking up its name."""
    target = read_target(url)
    if not limits.allow(target) and target.ip is not None and special_use(target.ip):
        raise Refused(Reason.NOT_PUBLIC)


class Exchange(Struct, frozen=True):
    """The context that all requests of one `fetch` or `post` share."""

    limits: Limits
    deadline: Deadline
    resolve: Resolve
    dial: Dial

    @contextmanager
    def answer(
        self, verb: str, target: Target, headers: Mapping[str, str], body: bytes | None = None
    ) -> Iterator["BaseHTTPResponse"]:
        """Send a request, and provide its answer with the content still unread.

        Raises `Refused`, also for failures while the content is read.
        """
        from landyard_outgoing.sending import FAILURES, send  # imported late: few need urllib3

        addresses = self._addresses(target)
        try:
            with ExitStack() as opened:
                sock = connect(addresses, target.port, self.deadline, self.dial)
                opened.enter_context(closing(sock))
                if target.scheme == "https":
                    sock = secure(sock, target.host, self.deadline)
                    opened.enter_context(closing(sock))
                line = Line(sock, self.deadline, _HEAD)
                response = send(line, verb, target, headers, body)
                opened.enter_context(closing(response))
                # Chunk sizes and extensions are not content, but must be limited, too.
                line.most = _HEAD + 2 * self.limits.max_bytes
                yield response
        except FAILURES as failure:
            self.deadline.left()  # raises the refusal of a time-out, if time is over
            raise Refused(Reason.BROKEN) from failure

    def _addresses(self, target: Target) -> Sequence[IP]:
        """Return all addresses of the host, each of them checked; raises `Refused`."""
        allowed = self.limits.allow(target)
        if target.ip is not None:
            addresses: Sequence[IP] = [target.ip]
        else:
            addresses = self.resolve(target.host, self.deadline.left())
        if not addresses:
            self.deadline.left()
            raise Refused(Reason.NOT_FOUND)
        if not allowed and any(map(special_use, addresses)):
            raise Refused(Reason.NOT_PUBLIC)
        return addresses

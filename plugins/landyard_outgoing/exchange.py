"""One request and its answer: from a host all of whose addresses were checked (U4, U5).

The connection goes to one of the checked addresses, so a name that changes its addresses meanwhile
gains nothing.
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

_HEAD = 64 * 1024  # bytes of all before the content


class Limits(Struct, frozen=True):
    """What a request may reach and take.

    `seconds` are for all of it, from looking the name up to the last byte. `max_bytes`: of the
    content. `allow_hosts`: hosts, or hosts with a port, that may be reached although they are not
    public, at any port. `max_redirects` and `at_once` (how many the process has under way) are
    those of `fetch`.
    """

    seconds: float = 10.0
    max_bytes: int = 1024 * 1024
    ports: Collection[int] = (80, 443)
    allow_hosts: Collection[str] = ()
    max_redirects: int = 5
    at_once: int = 4

    def allow(self, target: Target) -> bool:
        """Tell whether a host need not be public; raises `Refused` for a port that is not open."""
        allowed = target.among(self.allow_hosts)
        if not allowed and target.port not in self.ports:
            raise Refused(Reason.PORT)
        return allowed


def check(url: str, limits: Limits) -> None:
    """Tell before anything is sent, and without a look-up, that it would be `Refused`."""
    target = read_target(url)
    if not limits.allow(target) and target.ip is not None and special_use(target.ip):
        raise Refused(Reason.NOT_PUBLIC)


class Exchange(Struct, frozen=True):
    """What all the requests of one `fetch` or `post` share."""

    limits: Limits
    deadline: Deadline
    resolve: Resolve
    dial: Dial

    @contextmanager
    def answer(
        self, verb: str, target: Target, headers: Mapping[str, str], body: bytes | None = None
    ) -> Iterator["BaseHTTPResponse"]:
        """Send a request and give its answer, of which the content is not read yet.

        Raises `Refused`, also for what fails while the content is read.
        """
        from landyard_outgoing.sending import FAILURES, send  # with urllib3, which few need

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
                # Chunks have sizes and extensions, which are no content and have no end.
                line.most = _HEAD + 2 * self.limits.max_bytes
                yield response
        except FAILURES as failure:
            self.deadline.left()  # a time-out, if there is none
            raise Refused(Reason.BROKEN) from failure

    def _addresses(self, target: Target) -> Sequence[IP]:
        """Return what to connect to: every address of the host, each of them checked."""
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

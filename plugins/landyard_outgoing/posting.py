"""POST requests to public hosts (U4, U5)."""

from collections.abc import Mapping

from msgspec import Struct

from landyard_outgoing.connecting import Deadline, Dial, dial
from landyard_outgoing.exchange import Exchange, Limits
from landyard_outgoing.resolving import Resolve, resolve
from landyard_outgoing.targets import read_target


class Answer(Struct, frozen=True):
    """The answer of a host; names in `headers` are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    limits: Limits = Limits(),  # noqa: B008 - frozen
    *,
    resolve: Resolve = resolve,
    dial: Dial = dial,
) -> Answer:
    """Send `body` to `url` and return the answer, whatever its status; raises `Refused`.

    A redirect is an answer like any other and is not followed. The answer's body is read up to
    `limits.max_bytes`, and the rest is ignored.
    """
    target = read_target(url)
    exchange = Exchange(limits, Deadline(limits.seconds), resolve, dial)
    with exchange.answer("POST", target, headers, body) as response:
        content = b""
        while (room := limits.max_bytes - len(content)) and (chunk := response.read1(room)):
            content += chunk
        names = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status, names, content)

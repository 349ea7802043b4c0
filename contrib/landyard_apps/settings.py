"""The settings in section `[apps]`: how many handlers an app may have, limits of a delivery."""

from typing import Annotated

from msgspec import Meta, Struct

from landyard_outgoing import Limits

LONGEST = 20.0  # seconds; a delivery interrupted by a dying process is retried only after this time


class AppSettings(Struct, frozen=True):
    """`handlers`: how many event handlers an app may have.

    `seconds`: how long a handler may take to answer. `allow_hosts`: hosts, or hosts with a port,
    that are allowed for handlers although the host is not public or the port is not 80 or 443.
    """

    handlers: Annotated[int, Meta(ge=0, le=100_000)] = 100
    seconds: Annotated[float, Meta(gt=0, le=LONGEST)] = 10.0
    allow_hosts: list[str] = []

    @property
    def limits(self) -> Limits:
        """The limits of a delivery's HTTP request; only the status of the answer is read."""
        return Limits(seconds=self.seconds, max_bytes=0, allow_hosts=self.allow_hosts)

"""The section `[apps]` of the settings."""

from typing import Annotated

from msgspec import Meta, Struct

from landyard_outgoing import Limits

LONGEST = 20.0  # seconds: a delivery whose process dies is tried again no earlier


class AppSettings(Struct, frozen=True):
    """`handlers`: how many handlers of events an app may have.

    `seconds`: how long a handler may take to answer. `allow_hosts`: hosts, or hosts with a port,
    that handlers may be on although they are not public, or not at port 80 or 443.
    """

    handlers: Annotated[int, Meta(ge=0, le=100_000)] = 100
    seconds: Annotated[float, Meta(gt=0, le=LONGEST)] = 10.0
    allow_hosts: list[str] = []

    @property
    def limits(self) -> Limits:
        """What a delivery may reach and take; of an answer the status is enough."""
        return Limits(seconds=self.seconds, max_bytes=0, allow_hosts=self.allow_hosts)

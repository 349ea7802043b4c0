"""The section `[webhooks]` of the settings."""

from typing import Annotated

from msgspec import Meta, Struct

LONGEST = 20.0  # seconds: a delivery whose process dies is tried again no earlier


class WebhookSettings(Struct, frozen=True):
    """`seconds`: how long an endpoint may take to answer a delivery.

    `allow_hosts`: hosts, or hosts with a port, that endpoints may be on although they are not
    public, or not at port 80 or 443.
    """

    seconds: Annotated[float, Meta(gt=0, le=LONGEST)] = 10.0
    allow_hosts: list[str] = []

"""The settings in section `[webhooks]`: time limit and allowed hosts of deliveries."""

from typing import Annotated

from msgspec import Meta, Struct

LONGEST = 20.0  # seconds; a delivery interrupted by a dying process is retried only after this time


class WebhookSettings(Struct, frozen=True):
    """`seconds`: how long an endpoint may take to answer a delivery.

    `allow_hosts`: hosts, or hosts with a port, that are allowed for endpoints although the host is
    not public or the port is not 80 or 443.
    """

    seconds: Annotated[float, Meta(gt=0, le=LONGEST)] = 10.0
    allow_hosts: list[str] = []

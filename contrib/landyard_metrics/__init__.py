"""Metrics for Prometheus: calls, threads, database and jobs, at `/-/metrics`."""

from typing import Annotated

from msgspec import Meta, Struct

from landyard import Host, hookimpl
from landyard_metrics.collector import Metrics


class MetricsSettings(Struct, frozen=True):
    """The settings in section `[metrics]`: nobody may read `/-/metrics` until one of them is set.

    `token`: a client that sends it as `Authorization: Bearer` may read; it has 16 characters or
    more. `open`: anybody may read, with or without the token.
    """

    token: Annotated[str, Meta(pattern=r"^(\S{16,})?$")] = ""
    open: bool = False


@hookimpl
def register_settings() -> type[Struct]:
    return MetricsSettings


@hookimpl
def register_hooks(host: Host) -> Metrics:
    settings = host.section(MetricsSettings)
    return Metrics(host, token=settings.token, is_open=settings.open)

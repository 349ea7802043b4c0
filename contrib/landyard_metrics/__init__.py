"""Metrics for Prometheus: calls, threads, database and jobs, at `/-/metrics`."""

from typing import Annotated

from msgspec import Meta, Struct

from landyard import Host, hookimpl
from landyard_metrics.observing import Metrics


class MetricsSettings(Struct, frozen=True):
    """Who may read `/-/metrics`: nobody, until one of these is set. The section `[metrics]`.

    `token`: whoever sends it as `Authorization: Bearer`; it has 16 characters or more. `open`:
    anybody, whatever the token.
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

"""Traces: an OpenTelemetry span for each call, sent where the standard variables say."""

import os

from landyard import Host, hookimpl

try:
    from landyard_tracing.spans import Spans, check
except ImportError as error:
    raise ImportError("install landyard[tracing]") from error


@hookimpl
def register_hooks(host: Host) -> Spans:
    _ = host  # OpenTelemetry's own variables are the settings
    check(os.environ)
    return Spans()

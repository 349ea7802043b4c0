"""The OpenTelemetry span of each call, and the provider that exports spans."""

import functools
import os
import threading
from collections.abc import Callable, Mapping

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from landyard import Actor, Failure, Method, PluginError, Reply, Request, hookimpl

LAST = 2.0  # seconds for sending the last spans when the worker stops

_continued = TraceContextTextMapPropagator().extract


def check(environ: Mapping[str, str]) -> None:
    """Raise `PluginError` if the standard variables ask for an unsupported exporter."""
    exporter = environ.get("OTEL_TRACES_EXPORTER") or "otlp"
    if exporter not in {"otlp", "none"}:
        raise PluginError("OTEL_TRACES_EXPORTER: must be otlp or none")
    for name in ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        if (environ.get(name) or "http/protobuf") != "http/protobuf":
            raise PluginError(f"{name}: must be http/protobuf")


def provider_of(environ: Mapping[str, str]) -> TracerProvider:
    """Return a provider configured by the variables; it starts a thread that sends spans."""
    resource = Resource.create()
    if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
        resource = resource.merge(Resource({SERVICE_NAME: "landyard"}))
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    if environ.get("OTEL_TRACES_EXPORTER") != "none":
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


class Spans:
    """Makes a span of each call, with the start and finish that the reply has."""

    def __init__(
        self, provide: Callable[[], TracerProvider] = lambda: provider_of(os.environ)
    ) -> None:
        """Start no thread yet: commands load plugins, too, but make no calls."""
        self._provide = functools.cache(provide)
        self._used = False

    @hookimpl
    def call_finished(
        self, request: Request, actor: Actor | None, method: Method | None, reply: Reply
    ) -> None:
        """Make a span; of the request it has the id, the trace, the method and the user.

        An unknown method's name is left out, because a caller may have sent a secret in its place.
        Texts of exceptions may hold secrets as well and appear only in the log.
        """
        self._used = True
        attributes: dict[str, str | int] = {
            "landyard.request_id": request.id,
            "http.response.status_code": reply.status,
        }
        if method is not None:
            attributes |= {"rpc.method": method.name, "landyard.plugin": method.plugin}
        if actor is not None:
            attributes["user.id"] = str(actor.user_id)
        if isinstance(reply, Failure):
            attributes["error.type"] = reply.error
        span = (
            self._provide()
            .get_tracer("landyard")
            .start_span(
                method.name if method else "call",
                _continued({"traceparent": request.traceparent}, Context()),
                SpanKind.SERVER,
                attributes,
                start_time=_nanoseconds(reply.time.start),
            )
        )
        if reply.status >= 500:
            span.set_status(StatusCode.ERROR)
        span.end(_nanoseconds(reply.time.finish))

    def close(self) -> None:
        """Send waiting spans; waits at most `LAST` seconds for the collector."""
        if self._used:
            last = threading.Thread(target=self._provide().shutdown, daemon=True)
            last.start()
            last.join(LAST)


def _nanoseconds(moment: float) -> int:
    return int(moment * 1e9)

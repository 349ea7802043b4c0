"""Each call makes a span, collected by an exporter in memory."""

from typing import Any

import pytest
from conftest import MakeService
from kernel.sample import Nothing
from kernel.supervised import PATIENCE, until
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

import landyard_tracing
from landyard import Call, CallError, Host, MethodGroup, Plugin, hookimpl
from landyard.testing import WEBHOOK, Service
from landyard.web.wire import Incoming
from landyard_tracing.spans import Spans, provider_of

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Refused(CallError):
    code = "SAMPLE_REFUSED"
    text = "No."


class Traced:
    """A plugin with methods, and the spans of all calls."""

    def __init__(self) -> None:
        self.group = group = MethodGroup(scope="sample")
        self.exporter = InMemorySpanExporter()

        @group.method("sample.works")
        def works(call: Call, params: Nothing) -> bool:
            """Work."""
            return True

        @group.method("sample.refuses", errors=[Refused])
        def refuses(call: Call, params: Nothing) -> bool:
            """Refuse."""
            raise Refused

        @group.method("sample.crashes")
        def crashes(call: Call, params: Nothing) -> bool:
            """Crash with a text that contains a secret."""
            raise RuntimeError(WEBHOOK)

    @hookimpl
    def register_methods(self) -> MethodGroup:
        return self.group

    @hookimpl
    def register_hooks(self, host: Host) -> Spans:
        return Spans(self._provide)

    def _provide(self) -> TracerProvider:
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        return provider

    def span(self) -> ReadableSpan:
        """Wait for one span; it is made after the answer."""
        spans: tuple[ReadableSpan, ...] = until(self.exporter.get_finished_spans)
        (span,) = spans
        return span


@pytest.fixture
def traced() -> Traced:
    return Traced()


@pytest.fixture
def service(make_service: MakeService, traced: Traced) -> Service:
    return make_service([Plugin("traced", traced)], raise_crashes=False)


def send(service: Service, method: str, **more: Any) -> None:
    service.send(Incoming("POST", f"/1/{WEBHOOK}/{method}", id="under-this-id", **more))


def test_a_call_makes_a_span(service: Service, traced: Traced) -> None:
    send(service, "sample.works")

    span = traced.span()
    assert (span.name, span.kind, span.parent) == ("sample.works", SpanKind.SERVER, None)
    assert span.attributes == {
        "rpc.method": "sample.works",
        "landyard.plugin": "traced",
        "landyard.request_id": "under-this-id",
        "http.response.status_code": 200,
        "user.id": "1",
    }
    assert span.start_time is not None
    assert span.end_time is not None
    assert 0 <= span.end_time - span.start_time < 60e9
    assert span.status.status_code is StatusCode.UNSET


@pytest.mark.parametrize(
    ("method", "code", "status"),
    [
        ("sample.refuses", "SAMPLE_REFUSED", StatusCode.UNSET),
        ("sample.crashes", "INTERNAL_SERVER_ERROR", StatusCode.ERROR),
    ],
)
def test_a_failure_has_its_code(
    service: Service, traced: Traced, method: str, code: str, status: StatusCode
) -> None:
    send(service, method)

    span = traced.span()
    assert span.attributes is not None
    assert span.attributes["error.type"] == code
    assert span.status.status_code is status
    assert WEBHOOK not in span.to_json()


def test_an_unknown_method_name_is_not_in_the_span(service: Service, traced: Traced) -> None:
    service.send(Incoming("POST", f"/{WEBHOOK}", id="1"))  # the user and the method are missing

    span = traced.span()
    assert span.name == "call"
    assert WEBHOOK not in span.to_json()


def test_a_trace_is_continued(service: Service, traced: Traced) -> None:
    send(service, "sample.works", traceparent=f"00-{TRACE}-{PARENT}-01")

    span = traced.span()
    assert span.parent is not None
    assert (f"{span.parent.trace_id:032x}", f"{span.parent.span_id:016x}") == (TRACE, PARENT)
    assert f"{span.context.trace_id:032x}" == TRACE


@pytest.mark.parametrize("sent", ["", "nonsense", f"00-{'0' * 32}-{PARENT}-01", "é" * 1000])
def test_an_invalid_trace_starts_a_new_one(service: Service, traced: Traced, sent: str) -> None:
    send(service, "sample.works", traceparent=sent)

    assert traced.span().parent is None


def test_a_trace_that_is_not_sampled_makes_no_span(service: Service, traced: Traced) -> None:
    send(service, "sample.works", traceparent=f"00-{TRACE}-{PARENT}-00")
    send(service, "sample.works", traceparent=f"00-{TRACE}-{PARENT}-01")

    assert traced.span().parent is not None


def test_the_last_spans_are_sent_at_the_end(make_service: MakeService) -> None:
    exporter = InMemorySpanExporter()

    def provide() -> TracerProvider:
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=3_600_000))
        return provider

    traced = Traced()
    traced._provide = provide  # type: ignore[method-assign]
    service = make_service([Plugin("traced", traced)])
    send(service, "sample.works")
    service.kernel.background.close(PATIENCE)  # the hook after the answer is done

    service.close()

    until(exporter.get_finished_spans)


def service_name(monkeypatch: pytest.MonkeyPatch, **variables: str) -> Any:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    provider = provider_of({"OTEL_TRACES_EXPORTER": "none", **variables})
    return provider.resource.attributes["service.name"]


def test_the_service_is_named_by_the_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    assert service_name(monkeypatch) == "landyard"
    assert service_name(monkeypatch, OTEL_SERVICE_NAME="shop") == "shop"


@pytest.mark.parametrize(
    "variables",
    [{"OTEL_TRACES_EXPORTER": "zipkin"}, {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}],
)
def test_a_missing_package_fails_the_plugin(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    ((name, value),) = variables.items()
    monkeypatch.setenv(name, value)

    service = make_service([Plugin("tracing", landyard_tracing)], strict=False)

    (state,) = service.kernel.resolution.states
    assert state.state == "failed"
    assert name in state.reason


def test_commands_start_no_thread(make_service: MakeService) -> None:
    made: list[TracerProvider] = []

    def provide() -> TracerProvider:
        made.append(TracerProvider())
        return made[-1]

    class Watched:
        @hookimpl
        def register_hooks(self, host: Host) -> Spans:
            return Spans(provide)

    make_service([Plugin("tracing", Watched())]).close()

    assert made == []

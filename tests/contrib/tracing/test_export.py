"""A served process sends its spans to a collector named by the standard variables."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from kernel.processes import serving
from kernel.supervised import until
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from landyard import Kernel, Settings

CODE = "webhook-of-tracing-0123456789"
PASSWORD = "password-in-a-parameter"
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
WORLD = {
    "users": [{"id": 7, "name": "Ann"}],
    "webhooks": [{"user": 7, "code": CODE, "scopes": ["landing"]}],
}


def test_spans_are_posted_to_the_collector(tmp_path: Path) -> None:
    kernel = Kernel(Settings(data=tmp_path / "data"))
    kernel.prepare()
    kernel.load(msgspec.json.encode(WORLD))
    kernel.close()
    with collecting() as (address, posted):
        more = {
            "LANDYARD_PLUGINS__ON": "tracing",
            "OTEL_EXPORTER_OTLP_ENDPOINT": address,
            "OTEL_SERVICE_NAME": "shop",
            "OTEL_BSP_SCHEDULE_DELAY": "50",
        }
        with serving(tmp_path, **more) as server:
            path = f"/rest/7/{CODE}/landing.block.getlist"
            headers = {"traceparent": f"00-{TRACE}-{PARENT}-01", "x-request-id": "under-this-id"}
            server.ask("POST", path, {"auth": PASSWORD}, headers)
            server.ask("POST", path, {"lid": 1})
            until(lambda: len([span for each in posted for span in spans_of(each)]) == 2)

        spans = [span for each in posted for span in spans_of(each)]

    first, last = spans
    assert (first.name, first.trace_id.hex(), first.parent_span_id.hex()) == (
        "landing.block.getlist",
        TRACE,
        PARENT,
    )
    attributes = {each.key: each.value for each in first.attributes}
    assert attributes["landyard.request_id"].string_value == "under-this-id"
    assert attributes["user.id"].string_value == "7"
    assert attributes["landyard.plugin"].string_value == "blocks"
    assert attributes["error.type"].string_value == "MISSING_PARAMS"
    assert last.parent_span_id == b""
    assert b"shop" in posted[0]
    sent = b"".join(posted)
    assert [secret for secret in (CODE, PASSWORD) if secret.encode() in sent] == []


def spans_of(posted: bytes) -> list[Any]:
    read = ExportTraceServiceRequest.FromString(posted)
    return [
        span
        for resource in read.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


@contextmanager
def collecting() -> Iterator[tuple[str, list[bytes]]]:
    """A collector on this machine: yields its address, and the posted spans."""
    posted: list[bytes] = []

    class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            assert self.path == "/v1/traces"
            posted.append(body)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", posted
        server.shutdown()

"""A server that receives purges in the forms of Varnish, Fastly and Cloudflare."""

import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec
from msgspec import Struct


class Received(Struct, frozen=True):
    """A received purge: the path, its tags, and the request's headers."""

    path: str
    tags: tuple[str, ...]
    headers: Mapping[str, str]


class FakeEdge:
    """Takes purges, and answers them with `status` and the headers `more`."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.status = 200
        self.more: dict[str, str] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.05])
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @property
    def tags(self) -> set[str]:
        """All tags that it was told to forget."""
        return {tag for each in self.received for tag in each.tags}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        edge = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(int(headers.get("content-length", "0")))
                if body:
                    tags = msgspec.json.decode(body)["tags"]
                else:
                    tags = (headers.get("xkey-purge") or headers["surrogate-key"]).split()
                if edge.status == 200:
                    edge.received.append(Received(self.path, tuple(tags), headers))
                self.send_response(edge.status)
                for name, value in edge.more.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002

        return Handler

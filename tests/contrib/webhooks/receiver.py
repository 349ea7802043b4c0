"""A server that receives deliveries and verifies them as docs/webhooks.md tells receivers to."""

import re
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

DOC = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text()


def _documented() -> Callable[[str, dict[str, str], bytes], bool]:
    (code,) = re.findall(r"^```python\n(.*?)^```$", DOC, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    exec(code, names)
    verified: Callable[[str, dict[str, str], bytes], bool] = names["verified"]
    return verified


verified = _documented()


class Received(Struct, frozen=True):
    """A received delivery; `genuine`: its signature was valid for the receiver's secret at that
    moment.
    """

    path: str
    genuine: bool
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def message(self) -> Any:
        return msgspec.json.decode(self.body)


class Receiver:
    """Answers each path with status 200 unless `answers` sets another, after its `pauses`."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.answers: dict[str, int] = {}
        self.pauses: dict[str, float] = {}
        self.secret = "whsec_"
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.05])
        self._thread.start()
        self.host = f"127.0.0.1:{self._server.server_port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"

    def of(self, path: str) -> list[Received]:
        return [each for each in self.received if each.path == path]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                length = int(headers["content-length"])
                body = self.rfile.read(length)
                if len(body) < length:
                    return  # the sender was killed, so this is no message
                signed = "webhook-id" in headers
                genuine = signed and verified(receiver.secret, headers, body)
                receiver.received.append(Received(self.path, genuine, headers, body))
                time.sleep(receiver.pauses.get(self.path, 0))
                self.send_response(receiver.answers.get(self.path, 200))
                self.send_header("Location", receiver.url("/elsewhere"))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002

        return Handler

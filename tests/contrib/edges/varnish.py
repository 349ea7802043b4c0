"""Runs a real Varnish with the VCL of docs/deploy, in front of a service."""

import http.client
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from kernel.processes import PATIENCE, free_port, is_free
from kernel.supervised import until

VCL = Path(__file__).parents[3] / "docs" / "deploy" / "varnish.vcl"
_MODULES = ("/usr/lib/*/varnish/vmods", "/usr/lib/varnish/vmods")


def _has_xkey() -> bool:
    return any(
        path.exists()
        for pattern in _MODULES
        for path in Path("/").glob(f"{pattern.lstrip('/')}/libvmod_xkey.so")
    )


needs_varnish = pytest.mark.skipif(
    shutil.which("varnishd") is None or not _has_xkey(),
    reason="varnish and varnish-modules are not installed",
)


class Varnish:
    """A Varnish that can be stopped and started again at the same ports."""

    def __init__(self, folder: Path) -> None:
        self.port, self.purge_port = free_port(), free_port()
        self._folder = folder / "varnish"
        self._folder.mkdir()
        self._vcl = self._folder / "landyard.vcl"
        self._process: subprocess.Popen[bytes] | None = None

    def stand_before(self, service: int) -> None:
        """Name the port of the service that it asks."""
        self._vcl.write_text(VCL.read_text().replace('"8000"', f'"{service}"'))

    def start(self) -> None:
        until(lambda: is_free(self.port) and is_free(self.purge_port))
        words = ["varnishd", "-F", "-f", str(self._vcl), "-n", str(self._folder / "work")]
        words += ["-a", f"pages=127.0.0.1:{self.port}"]
        words += ["-a", f"purge=127.0.0.1:{self.purge_port}"]
        words += ["-s", "malloc,64m", "-j", "none"]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(words, stdout=log, stderr=log)
        until(lambda: not is_free(self.purge_port), self._said)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(PATIENCE)
            self._process = None

    def _said(self) -> str:
        return (self._folder / "log").read_text()


class Way:
    """The way of purges to a Varnish, which can be cut off: then connections are refused."""

    def __init__(self, front: Varnish) -> None:
        self._front = front
        self._port = free_port()
        self._server: ThreadingHTTPServer | None = None
        self.url = f"http://127.0.0.1:{self._port}/"

    def open(self) -> None:
        until(lambda: is_free(self._port))
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.01])
        self._thread.start()

    def cut(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
            self._server = None

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        purge_port = self._front.purge_port

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                there = http.client.HTTPConnection("127.0.0.1", purge_port, timeout=PATIENCE)
                try:
                    there.request("POST", "/", b"", {"xkey-purge": self.headers["xkey-purge"]})
                    status = there.getresponse().status
                except OSError:
                    status = 502
                finally:
                    there.close()
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002

        return Handler

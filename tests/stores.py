"""Servers of buckets for tests, one of each kind for a whole run, and a relay that makes faults."""

import fcntl
import http.client
import os
import shutil
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest
from kernel.processes import free_port

KEY, SECRET = "landyard-tests", "no-secret-of-anybody"
BUCKET = "landyard"
PATIENCE = 40.0  # seconds until a store answers; SeaweedFS takes four on an idle machine

_PORTS = ("master.port", "volume.port", "filer.port")
_GRPC_PORTS = tuple(f"{name}.grpc" for name in (*_PORTS, "s3.port"))
# The server ends with the run, also where a worker of pytest-xdist is killed.
_WATCH = """
{ "$@" & store=$!; while kill -0 $RUN && kill -0 $store; do sleep 1; done; kill -9 $store; } &
"""


def url_of(port: int, prefix: str = "") -> str:
    """Write the URL of the bucket at a server; by default with a prefix that nobody has used."""
    prefix = prefix or uuid.uuid4().hex
    return (
        f"s3://{BUCKET}/{prefix}?endpoint=http://127.0.0.1:{port}&region=us-east-1"
        f"&access_key_id={KEY}&secret_access_key={SECRET}"
    )


def port_of(kind: str, run: Path) -> int:
    """Return the port of a store; the first to ask in this run starts it in the folder `run`."""
    pytest.importorskip("obstore", reason="no obstore here: files in a bucket are not tested")
    with (run / f"{kind}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        noted = run / f"{kind}.port"
        if not noted.exists():
            noted.write_text(str(_start(kind, run)))
        return int(noted.read_text())


def _start(kind: str, run: Path) -> int:
    name, words_of = {"seaweedfs": ("weed", _seaweedfs), "rclone": ("rclone", _rclone)}[kind]
    beside = Path(sys.executable).with_name(name)
    program = str(beside) if beside.exists() else shutil.which(name)
    if program is None:
        pytest.skip(f"no {name} here: {kind} is not installed")
    folder = run / kind
    folder.mkdir(exist_ok=True)
    port = free_port()
    owner = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    with (run / f"{kind}.log").open("w") as output:
        subprocess.run(
            ["sh", "-c", _WATCH, "sh", program, *words_of(folder, port)],
            env={**os.environ, "RUN": str(owner)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            check=True,
        )
    _await(port)
    return port


def _seaweedfs(folder: Path, port: int) -> list[str]:
    identity = {
        "name": "test",
        "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    (folder / "s3.json").write_bytes(msgspec.json.encode({"identities": [identity]}))
    return [
        *("server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={folder}", "-filer"),
        *("-s3", f"-s3.config={folder}/s3.json", f"-s3.port={port}", "-s3.port.iceberg=0"),
        *("-s3.port.lance=0", "-master.volumeSizeLimitMB=64", "-master.volumePreallocate=false"),
        "-volume.max=60",
        *(f"-{name}={free_port()}" for name in (*_PORTS, *_GRPC_PORTS)),
    ]


def _rclone(folder: Path, port: int) -> list[str]:
    (folder / BUCKET).mkdir(exist_ok=True)  # a bucket is a folder
    address = f"127.0.0.1:{port}"
    return ["serve", "s3", "--auth-key", f"{KEY},{SECRET}", "--addr", address, str(folder)]


def _await(port: int) -> None:
    """Return when the store takes a file; an empty SeaweedFS answers before it does."""
    import obstore
    from obstore.exceptions import BaseError
    from obstore.store import S3Store

    store = S3Store(
        BUCKET,
        endpoint=f"http://127.0.0.1:{port}",
        access_key_id=KEY,
        secret_access_key=SECRET,
        client_options={"allow_http": True},
        retry_config={"max_retries": 0},
    )
    until = time.monotonic() + PATIENCE
    while True:
        try:
            obstore.put(store, "started", b"yes", use_multipart=False)
        except BaseError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: Any) -> None:
        """Say nothing: clients that are killed break their connections off."""


class Relay:
    """An HTTP proxy before a store, which fails as it is told to.

    `fault` is `500`, `hang`, `away` or empty; one of `every` requests has it. A request that hangs
    is never answered, and one that is `away` has its connection closed. `reached` counts all
    requests, and `verbs` names those that were passed on.
    """

    def __init__(self, port: int) -> None:
        self.fault = ""
        self.every = 1
        self.reached = 0
        self.verbs: list[str] = []
        self.changed: Callable[[bytes], bytes] = bytes  # of the body of an answer
        self._over = threading.Event()
        relay = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _pass(self) -> None:
                relay._answer(self, port)

            do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = _pass  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, asked: BaseHTTPRequestHandler, port: int) -> None:
        body = asked.rfile.read(int(asked.headers.get("content-length", 0)))
        self.reached += 1
        fault = self.fault if self.reached % self.every == 0 else ""
        if fault == "hang":
            self._over.wait()
        if fault in ("away", "hang"):
            asked.close_connection = True
            return
        if fault == "500":
            asked.send_response(500)
            asked.send_header("content-length", "0")
            asked.end_headers()
            return
        self.verbs.append(asked.command)
        far = http.client.HTTPConnection("127.0.0.1", port)
        # The signature covers the header `Host`, so it is passed on as it came.
        far.putrequest(asked.command, asked.path, skip_host=True, skip_accept_encoding=True)
        for name, value in asked.headers.items():
            far.putheader(name, value)
        far.endheaders(body)
        answer = far.getresponse()
        content = self.changed(answer.read())
        asked.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                asked.send_header(name, value)
        length = answer.getheader("content-length") if asked.command == "HEAD" else len(content)
        asked.send_header("content-length", str(length))
        asked.end_headers()
        with suppress(OSError):
            asked.wfile.write(content)
        far.close()

"""A worker at its memory limit answers an overload, and calls no body invalid."""

import http.client
from contextlib import closing, suppress
from pathlib import Path

import msgspec
import pytest
from faulty.kit import Fault, install
from kernel.processes import PATIENCE, Server, serving

PLUGIN = Fault(
    "bounded",
    '''
import resource
from msgspec import Struct
from landyard import Bounds, Call, MethodGroup, hookimpl

group = MethodGroup(scope="landing", bounds=Bounds(size=30_000_000))


class Params(Struct, frozen=True):
    room: int = 0
    text: str = ""


@group.method("bounded.leave")
def leave(call: Call, params: Params) -> bool:
    """Leave this process so much room, or no bound."""
    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    most = used + params.room if params.room else resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    return True


@group.method("bounded.read")
def read(call: Call, params: Params) -> int:
    """Read a text."""
    return len(params.text)


@hookimpl
def register_methods():
    return group
''',
    "",
    "enabled",
)
BODY = msgspec.json.encode({"text": "x" * 20_000_000})


def call(server: Server, method: str, body: bytes) -> tuple[int, str | None]:
    made = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    with closing(made) as connection:
        # The answer may come, and the connection be closed, before the whole body is sent.
        with suppress(ConnectionError):
            connection.request("POST", f"{server.webhook}bounded.{method}", body)
        answer = connection.getresponse()
        decoded = msgspec.json.decode(answer.read())
    return answer.status, decoded.get("error")


@pytest.mark.rule("C13")
def test_C13_a_body_without_memory_for_it_is_not_called_invalid(tmp_path: Path) -> None:
    install(tmp_path / "installed", PLUGIN)
    more = {"LANDYARD_MAX_BODY": "30000000", "LANDYARD_WORKER_MEGABYTES": "0"}
    with serving(tmp_path, "--demo", PYTHONPATH=str(tmp_path / "installed"), **more) as server:
        assert call(server, "leave", b'{"room": 5000000}')[0] == 200
        refused = call(server, "read", BODY)
        small = call(server, "read", b"{}")
        call(server, "leave", b"{}")
        read = call(server, "read", BODY)

    assert refused == (503, "OVERLOAD_LIMIT")
    assert (small, read) == ((200, None), (200, None))

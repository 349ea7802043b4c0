"""Landyard in other applications and under other servers, as `docs/embed.md` shows it."""

import http.client
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from kernel.processes import Server, landyard, run, serving

from landyard_sitekit.demo import DEMO

EMBED = (Path(__file__).parents[2] / "docs" / "embed.md").read_text()
FILES = dict(re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", EMBED, re.DOTALL | re.MULTILINE))
LINES = re.findall(r"^    ((?:uvicorn|granian|hypercorn) .*)$", EMBED, re.MULTILINE)
CODE = "demo-code-0123456789"
SCOPES = ["landing", "user", "greeting"]
WORLD = {
    "users": [{"id": 1, "name": "Ann", "admin": True}],
    "webhooks": [{"user": 1, "code": CODE, "scopes": SCOPES}],
}
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
HOOK = f"/rest/1/{CODE}"
EDIT = b'{"lid": 10, "block": 101, "data": {".landing-block-node-title": "Hello"}}'
CALLS: list[tuple[str, str, bytes, dict[str, str]]] = [
    ("POST", f"{HOOK}/methods.json", b"{}", JSON),
    ("GET", f"{HOOK}/methods", b"", {}),
    ("POST", f"{HOOK}/landing.site.getList", b'{"params": {"select": ["ID", "CODE"]}}', JSON),
    ("POST", f"{HOOK}/landing.landing.getList", b'{"params": {"select": ["ID", "TITLE"]}}', JSON),
    ("GET", f"{HOOK}/landing.block.getlist?lid=10", b"", {}),
    ("POST", f"{HOOK}/landing.block.getlist", b"lid=10&params[edit_mode]=1", FORM),
    ("POST", f"{HOOK}/landing.block.updatenodes", EDIT, JSON),
    ("POST", f"{HOOK}/landing.landing.getpublicurl", b'{"lid": 10}', JSON),
    ("POST", f"{HOOK}/no.such.method", b"{}", JSON),
    ("POST", f"{HOOK}/methods", b"{", JSON),
    ("POST", "/rest/1/wrong-code-0123456789/methods", b"{}", JSON),
    ("PUT", f"{HOOK}/methods", b"{}", JSON),
]
MOMENT = re.compile(rb'"time":\{[^}]*\}|\d\d/\d\d/\d{4} [\d:]+ [ap]m')
OWN = {"cache-control", "content-length", "content-security-policy", "content-type", "etag"}
OWN |= {"referrer-policy", "vary", "x-content-type-options"}
Answer = tuple[int, dict[str, str], bytes]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the programs of the page and the demo site."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    for world in (DEMO.world, msgspec.json.encode(WORLD)):
        assert landyard(tmp_path, "load", "-", given=world).status == 0
    return tmp_path


@contextmanager
def served(folder: Path, line: str) -> Iterator[Server]:
    """Run a command line of the page, at a free port."""
    # `serving` appends `--port` and the port to a program: the shell has them as $1 and $2.
    line = re.sub(r"--port 8000|127\.0\.0\.1:8000", "", line)
    bound = '127.0.0.1:"$2"' if line.startswith("hypercorn") else '"$1" "$2"'
    program = ["sh", "-c", f"exec {sys.executable} -m {line} {bound}", line]
    more = {"PYTHONPATH": str(folder), "LANDYARD_PUBLIC_BASE": "http://localhost"}
    with serving(folder, program=program, **more) as server:
        yield server


def ask(server: Server, verb: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request(verb, path, body or None, {"Host": "localhost", **headers})
        answer = connection.getresponse()
        told = {name.lower(): value for name, value in answer.getheaders()}
        assert told["x-request-id"]
        body = answer.read()
    finally:
        connection.close()
    told = {name: value for name, value in told.items() if name in OWN}
    if (text := MOMENT.sub(b"", body)) != body:
        del told["content-length"]  # moments and durations are of different lengths
    return answer.status, told, text


def answers(server: Server) -> list[Answer]:
    page: Any = ("GET", "/demo/", b"", {})
    return [ask(server, *each) for each in (*CALLS, page)]


def test_each_server_gives_the_answers_of_landyard_serve(folder: Path) -> None:
    with serving(folder, LANDYARD_PUBLIC_BASE="http://localhost") as server:
        answers(server)  # the edit is made
        expected = answers(server)
    lines = [line for line in LINES if "landyard.web:app" in line]

    assert [line.split()[0] for line in lines] == ["uvicorn", "granian", "hypercorn"]
    assert [status for status, _, _ in expected] == [200] * 8 + [404, 400, 401, 400, 200]
    for line in lines:
        with served(folder, line) as server:
            assert answers(server) == expected, line


def line_of(program: str) -> str:
    (line,) = [each for each in LINES if f"{program}:app" in each]
    return str(line)


@pytest.mark.parametrize(
    ("program", "rest"),
    [("in_litestar", "/api"), ("in_fastapi", "/rest"), ("in_starlette", "/rest")],
)
def test_methods_are_answered_inside_of_another_application(
    folder: Path, program: str, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answers(server: Server) -> bool:
        """Without its pages Landyard has no probe."""
        with suppress(OSError):
            return ask_plain(server, "/hello")[0] == 200
        return False

    monkeypatch.setattr(Server, "answers", answers)
    with served(folder, line_of(program)) as server:
        hello = ask_plain(server, "/hello")
        status, _, body = ask(server, "POST", f"{rest}/1/{CODE}/methods", b"{}", JSON)
        page = ask_plain(server, "/demo/")
        missing = ask_plain(server, f"{rest}aurant")

    assert (hello[0], hello[1].strip(b'"')) == (200, b"Hello from the application around it.")
    assert (status, b"landing.block.getlist" in body) == (200, True)
    assert page[0] == (404 if program == "in_litestar" else 200)
    assert missing[0] == 404


def ask_plain(server: Server, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request("GET", path, headers={"Host": "localhost"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_a_script_calls_a_method_without_http(folder: Path) -> None:
    done = run([sys.executable, "without_http.py"], folder, b"")

    assert done.status == 0, done.err
    assert "landing.block.getlist" in done.out


def test_a_service_of_other_plugins_imports_no_plugin_of_landyard(tmp_path: Path) -> None:
    looking = "import sys\nprint(*[each for each in sys.modules if each.startswith('landyard_')])\n"
    text = FILES["greetings.py"]
    (tmp_path / "greetings.py").write_text(f"{text}\n\nif __name__ == '__main__':\n    app()\n")
    with (tmp_path / "greetings.py").open("a") as file:
        file.writelines(f"    {line}\n" for line in looking.splitlines())
    done = run([sys.executable, "greetings.py"], tmp_path, b"")

    assert (done.status, done.out.split()) == (0, []), done.err


def test_a_service_of_other_plugins_answers_their_methods(tmp_path: Path) -> None:
    (tmp_path / "greetings.py").write_text(FILES["greetings.py"])
    assert landyard(tmp_path, "load", "-", given=msgspec.json.encode(WORLD)).status == 0
    path = f"/rest/1/{CODE}/greeting.hello"
    with served(tmp_path, line_of("greetings")) as server:
        status, _, body = ask(server, "POST", path, b'{"name": "Ann"}', JSON)

    assert (status, b'"result":"Hello, Ann!"' in body) == (200, True)

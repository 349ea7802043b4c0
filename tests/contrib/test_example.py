"""The guest book in contrib/landyard_example, installed beside Landyard's wheel."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from clean import ROOT, Environment, build_wheel, copied, make_environment
from kernel.processes import PATIENCE, Server, serving

pytestmark = pytest.mark.lint

EXAMPLE = ROOT / "contrib" / "landyard_example"


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Both wheels, in an environment of their own."""
    made = make_environment(tmp_path_factory.mktemp("clean"))
    made.install(build_wheel(copied(EXAMPLE, made.folder.parent / "example")))
    return made


@pytest.fixture
def work(clean: Environment, tmp_path: Path) -> Environment:
    """The same, with a data directory of the test's own."""
    return msgspec.structs.replace(clean, work=tmp_path)


def guestbook(work: Environment) -> dict[str, Any]:
    listed = msgspec.json.decode(work.run("landyard", "plugins", "list", "--json"))
    found: dict[str, Any] = next(row for row in listed if row["name"] == "guestbook")
    return found


def test_the_installed_plugin_is_the_example(work: Environment) -> None:
    where = work.run("python", "-c", "import landyard_example as e; print(e.__file__)")

    assert where.startswith(str(work.folder))


def test_its_own_tests_pass(work: Environment) -> None:
    tests = copied(EXAMPLE / "tests", work.work / "tests")
    settings = work.work / "pyproject.toml"
    settings.write_text((EXAMPLE / "pyproject.toml").read_text())
    output = work.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests))

    assert "12 passed" in output


def test_it_passes_the_checks_while_it_is_off(work: Environment) -> None:
    assert guestbook(work)["state"] == "disabled"
    assert "(landyard-example 1.0.0) passes" in work.run(
        "landyard", "plugins", "check", "guestbook"
    )


@pytest.mark.soak  # tests/contract/test_toggling.py switches a group under load in every run
def test_it_is_enabled_and_answers_a_running_service(work: Environment) -> None:
    work.run("landyard", "user", "add", "Ann")
    added = work.run("landyard", "webhook", "add", "1", "--scope", "guestbook")
    path = "/rest/" + added.splitlines()[0].partition("/rest/")[2]
    program = [str(work.bin / "landyard"), "serve"]

    with serving(work.work, program=program, LANDYARD_DATA="landyard-data") as server:
        off = add(server, path)
        page_off = server.ask("GET", "/guestbook")[0]
        work.run("landyard", "plugins", "enable", "guestbook")
        until(lambda: add(server, path)[0] == 200)
        on = server.ask("POST", f"{path}guestbook.list", {})
        page = server.ask("GET", "/guestbook")
        work.run("landyard", "plugins", "disable", "guestbook")
        until(lambda: add(server, path)[0] == 404)

    assert off == (404, "ERROR_METHOD_NOT_FOUND")
    assert page_off == 404
    assert msgspec.json.decode(on[2])["result"][0]["text"] == "Fair winds!"
    assert page[0] == 200
    assert b"Fair winds!" in page[2]
    assert guestbook(work)["state"] == "disabled"


def until(come: Callable[[], bool]) -> None:
    """Wait for an effect of running workers, which comes within a second; other tests measure the
    time.
    """
    end = time.monotonic() + PATIENCE
    while not come():
        assert time.monotonic() < end
        time.sleep(0.05)


def add(server: Server, path: str) -> tuple[int, str | None]:
    entry = {"name": "Ann", "text": "Fair winds!"}
    status, _, body = server.ask("POST", f"{path}guestbook.add", entry)
    return status, msgspec.json.decode(body).get("error")

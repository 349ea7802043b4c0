"""`landyard files check` compares rows with a folder or a bucket, and removes orphans."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from conftest import MakeService
from contract.pictures import upload
from contract.worlds import one_page, stored
from kernel.commands import ConsoleOf, listing
from stores import port_of, url_of

from landyard.testing import Service
from landyard_content.commands import files
from landyard_content.files import FileStore, file_store

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
ORPHAN = "ef" * 16


@pytest.fixture(params=["folder", "rclone"])
def service(request: pytest.FixtureRequest, make_service: MakeService, run_folder: Path) -> Service:
    files: dict[str, Any] = {}
    if request.param != "folder":
        files = {"url": url_of(port_of(request.param, run_folder))}
    return make_service(world=one_page(), files=files, now=datetime.now(UTC))


def check(service: Service, *words: str, given: str = "") -> Result:
    runner = CliRunner()
    return runner.invoke(files, ["check", *words], input=given, obj=ConsoleOf(service.kernel))


def names(store: FileStore) -> list[str]:
    return sorted(each.name for each in store.listing())


def test_equal_rows_and_files_are_right(service: Service) -> None:
    upload(service)

    checked = check(service, "--json")

    assert (checked.exit_code, listing(checked)) == (0, [])


def test_what_differs_is_told(service: Service) -> None:
    store = file_store(service.kernel)
    gone, short, kept = (upload(service).result["src"][len("/files/") :] for _ in range(3))
    store.remove(gone.partition("/")[0])
    key, _, name = short.partition("/")
    store.remove(key)
    store.save(key, name, b"short")
    store.confirm(key)
    store.save(ORPHAN, "a.png", b"nobody's")
    size = stored(service, "landing_file")[0]["size"]

    young = msgspec.json.decode(check(service, "--json").stdout)
    assert service.now is not None
    service.now += timedelta(days=1, minutes=1)
    old = check(service, "--json")

    wrong = [
        {"what": "missing", "file": gone, "size": size},
        {"what": "wrong size", "file": short, "size": 5},
    ]
    orphan = {"what": "without a row", "file": f"{ORPHAN}/a.png", "size": 8}
    assert (young, msgspec.json.decode(old.stdout), old.exit_code) == (wrong, [*wrong, orphan], 1)
    assert kept not in old.output


def test_a_file_without_a_row_that_a_page_uses_stays(service: Service) -> None:
    """A world file has no rows of files; an operator may have copied the files."""
    store = file_store(service.kernel)
    store.save(ORPHAN, "a.png", b"used")
    store.confirm(ORPHAN)
    service.load(one_page(content=f'<section><img src="/files/{ORPHAN}/a.png"></section>'))
    assert service.now is not None
    service.now += timedelta(days=1, minutes=1)

    checked = check(service, "--repair", "--yes", "--json")
    _, job = service.kernel.resolution.jobs["uploads.temporary"]
    job.work(service.kernel)

    found = {"what": "used without a row", "file": f"{ORPHAN}/a.png", "size": 4}
    assert (msgspec.json.decode(checked.stdout), checked.exit_code) == ([found], 1)
    assert names(store) == ["a.png"]


def test_a_repair_removes_orphans_after_a_question(service: Service) -> None:
    store = file_store(service.kernel)
    upload(service)
    store.save(ORPHAN, "a.png", b"nobody's")
    store.add(ORPHAN, "a.png", "_w9.webp", b"small")
    assert service.now is not None
    service.now += timedelta(days=1, minutes=1)

    refused = check(service, "--repair", given="n\n")
    assert (refused.exit_code, len(names(store))) == (1, 3)
    done = check(service, "--repair", "--yes")

    assert done.exit_code == 0
    assert f"{ORPHAN}/a.png" in done.output
    assert "2 files removed" in done.output
    assert names(store) == ["picture.png"]
    assert len(stored(service, "landing_file")) == 1

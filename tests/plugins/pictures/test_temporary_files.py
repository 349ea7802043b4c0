"""Temporary files, and files of processes that died, are deleted (U7)."""

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import PNG, files, is_stored, on_folder, upload
from contract.worlds import DRAFT, PAGE, one_page, stored

from landyard.testing import Service
from landyard_content.files.folder_store import FolderStore
from landyard_content.files.records import file_store

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def clean(service: Service, later: timedelta = timedelta()) -> None:
    """Run the job as it would run after this time."""
    assert service.now is not None
    service.now += later
    _, job = service.kernel.resolution.jobs["uploads.temporary"]
    job.work(service.kernel)


def place(service: Service, src: str) -> None:
    data = {".pic": {"src": src}}
    service.result("landing.block.updatenodes", lid=PAGE, block=DRAFT, data=data)


@pytest.mark.rule("U7")
def test_U7_temporary_files_are_deleted_after_a_day(make_service: MakeService) -> None:
    service = make_service(world=one_page(), now=NOW)
    kept = upload(service).result["src"]
    gone = upload(service, temp=True).result["src"]

    clean(service, timedelta(hours=24))
    assert service.get(gone).status_code == 200
    clean(service, timedelta(seconds=1))

    assert service.get(gone).status_code == 404
    assert service.get(kept).status_code == 200
    assert [row["key"] for row in stored(service, "landing_file")] == [kept.split("/")[2]]
    assert list(files(service).values()) == [PNG]


@pytest.mark.rule("U7")
def test_U7_the_setting_sets_the_time(make_service: MakeService) -> None:
    service = make_service(world=one_page(), now=NOW, uploads={"temp_hours": 0.5})
    src = upload(service, temp=True).result["src"]

    clean(service, timedelta(minutes=29))
    assert service.get(src).status_code == 200
    clean(service, timedelta(minutes=2))

    assert service.get(src).status_code == 404


@pytest.mark.rule("U7")
def test_U7_a_block_that_uses_a_temporary_file_keeps_it(make_service: MakeService) -> None:
    service = make_service(world=one_page(), now=NOW)
    src = upload(service, temp=True).result["src"]
    place(service, src)

    clean(service, timedelta(days=2))
    place(service, "/other.png")
    clean(service, timedelta(days=2))

    assert service.get(src).status_code == 200
    assert stored(service, "landing_file")[0]["temporary"] is False or (
        stored(service, "landing_file")[0]["temporary"] == 0
    )


@pytest.mark.rule("U7")
def test_U7_a_published_block_that_uses_it_keeps_it(make_service: MakeService) -> None:
    service = make_service(world=one_page(), now=NOW)
    src = upload(service, temp=True).result["src"]
    service.load(one_page(published_content=f'<section><img src="{src}"></section>'))

    clean(service, timedelta(days=2))

    assert service.get(src).status_code == 200


def test_many_temporary_files_are_deleted_at_once(make_service: MakeService) -> None:
    service = make_service(world=one_page(), now=NOW)
    for _ in range(12):
        upload(service, temp=True)

    clean(service, timedelta(days=2))

    assert files(service) == {}
    assert stored(service, "landing_file") == []


def aged(path: Path) -> None:
    os.utime(path, (NOW.timestamp() - 3601,) * 2)


@on_folder
@pytest.mark.rule("C1")
def test_bytes_without_a_row_are_removed(make_service: MakeService) -> None:
    """A process that dies between writing the bytes and the row leaves them so."""
    service = make_service(world=one_page(), now=NOW)
    store = file_store(service.kernel)
    young, old = "a" * 32, "b" * 32
    for key in (young, old):
        store.save(key, "a.png", PNG)
        os.utime(service.kernel.settings.data / "files" / "pending" / key, (NOW.timestamp(),) * 2)
    aged(service.kernel.settings.data / "files" / "pending" / old)

    clean(service)
    assert sorted(files(service)) == [f"aa/{young}.a.png", f"pending/{young}"]
    clean(service, timedelta(hours=2))

    assert files(service) == {}


@on_folder
def test_bytes_with_a_row_are_kept(make_service: MakeService) -> None:
    """A process that dies right after writing the row leaves them so."""
    service = make_service(world=one_page(), now=NOW)
    src = upload(service).result["src"]
    pending = service.kernel.settings.data / "files" / "pending"
    (pending / src.split("/")[2]).touch()
    (pending / "no key").touch()
    for path in pending.iterdir():
        aged(path)

    clean(service)

    assert service.get(src).status_code == 200
    assert [path.name for path in pending.iterdir()] == ["no key"]


def test_without_any_file_there_is_nothing_to_do(make_service: MakeService) -> None:
    service = make_service(world=one_page(), now=NOW)

    clean(service)

    assert not (service.kernel.settings.data / "files").exists()


@pytest.mark.rule("C1")
def test_a_removal_that_is_rolled_back_leaves_the_file(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_service(world=one_page(), now=NOW)
    src = upload(service, temp=True).result["src"]
    end = "landyard_content.files.records._remove"
    from landyard_content.files.records import _remove

    def fails(*given: Any) -> None:
        _remove(*given)
        raise RuntimeError("midway")

    monkeypatch.setattr(end, fails)
    with pytest.raises(RuntimeError, match="midway"):
        clean(service, timedelta(days=2))

    assert service.get(src).status_code == 200
    assert [row["key"] for row in stored(service, "landing_file")] == [src.split("/")[2]]
    assert is_stored(service, src)
    assert len(files(service)) == 1


@on_folder
@pytest.mark.rule("U7")
@pytest.mark.parametrize("step", ["_open_mark", "_name"])
def test_U7_a_process_killed_at_any_step_of_storing_a_file_leaves_nothing(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A killed process cleans nothing up itself."""
    service = make_service(world=one_page(), now=NOW)
    store = FolderStore(service.kernel.settings.data / "files")
    whole = getattr(FolderStore, step)

    def dies(*given: Any) -> None:
        whole(*given)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(FolderStore, step, dies)
        patched.setattr(FolderStore, "remove", lambda *_: None)
        with pytest.raises(Killed):
            store.save("ab" * 16, "a.png", PNG)
    for mark in (service.kernel.settings.data / "files" / "pending").iterdir():
        os.utime(mark, (0, 0))
    clean(service)

    assert files(service) == {}


class Killed(BaseException):
    """The process has ended."""


def test_removed_folders_are_made_again(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "data" / "files")
    key = "ab" * 16
    for removed in (tmp_path / "data", store.root, store.root / "ab", store.root / "pending"):
        shutil.rmtree(removed, ignore_errors=True)

        store.save(key, "a.png", PNG)

        assert (store.root / "ab" / f"{key}.a.png").read_bytes() == PNG
        store.remove(key, "a.png")

"""One contract for all stores of files: a folder, SeaweedFS, and rclone."""

import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kernel.supervised import until
from stores import Relay, port_of, url_of

from landyard import Unavailable
from landyard_content.files.bucket_store import BucketStore
from landyard_content.files.folder_store import FolderStore
from landyard_content.files.settings import FileSettings
from landyard_content.files.store import DamagedFile, FileStore

KEY, OTHER = "ab" * 16, "cd" * 16
BUCKETS = ("seaweedfs", "rclone")
LATER = datetime.now(UTC) + timedelta(days=1, minutes=5)


def bucket(url: str, seconds: float = 20.0) -> BucketStore:
    return BucketStore(FileSettings(url, seconds=seconds))


@pytest.fixture(params=["folder", *BUCKETS])
def store(request: pytest.FixtureRequest, tmp_path: Path, run_folder: Path) -> FileStore:
    if request.param == "folder":
        return FolderStore(tmp_path / "files")
    return bucket(url_of(port_of(request.param, run_folder)))


@pytest.fixture(params=["rclone"])  # the faults are the relay's, whatever is behind it
def relay(request: pytest.FixtureRequest, run_folder: Path) -> Iterator[Relay]:
    relay = Relay(port_of(request.param, run_folder))
    yield relay
    relay.close()


def addresses(store: FileStore) -> list[tuple[str, str, int]]:
    return sorted((each.key, each.name, each.size) for each in store.listing())


def test_a_saved_file_is_read(store: FileStore) -> None:
    store.save(KEY, "a.png", b"picture")
    store.confirm(KEY)

    assert store.read(KEY, "a.png") == b"picture"
    assert store.size(KEY, "a.png") == 7
    assert store.has(KEY, "a.png")
    assert addresses(store) == [(KEY, "a.png", 7)]


@pytest.mark.parametrize("size", [0, 1, 300_000, 21_000_000])
def test_files_of_any_size_are_read_whole_and_in_part(store: FileStore, size: int) -> None:
    content = bytes(range(251)) * (size // 251 + 1)
    content = content[:size]
    store.save(KEY, "a.bmp", content)

    opened = store.open(KEY, "a.bmp")
    assert opened.size == size
    assert b"".join(opened.chunks) == content
    if size:
        for start, stop in ((0, 1), (size - 1, size), (size // 3, size // 2 + 1), (5, size + 9)):
            if start < size:
                part = store.open(KEY, "a.bmp", start, stop)
                assert (part.size, b"".join(part.chunks)) == (size, content[start:stop])
        assert b"".join(store.open(KEY, "a.bmp", size // 2).chunks) == content[size // 2 :]


def test_a_file_that_is_not_there_is_not_found(store: FileStore) -> None:
    for key, name in ((KEY, "a.png"), (KEY, ".."), ("..", "a.png"), (KEY, "b/a.png")):
        with pytest.raises(FileNotFoundError):
            store.read(key, name)
        with pytest.raises(FileNotFoundError):
            store.size(key, name)
        with pytest.raises(FileNotFoundError):
            store.open(key, name)


def test_a_removed_file_takes_the_files_beside_it_along(store: FileStore) -> None:
    for key in (KEY, OTHER):
        store.save(key, "a.png", b"picture")
        store.add(key, "a.png", "_w9.webp", b"small")
        store.confirm(key)
    assert store.read(KEY, "_w9.webp") == b"small"

    store.mark_pending(KEY)
    store.remove(KEY, "a.png")
    store.remove(KEY)

    assert addresses(store) == [(OTHER, "_w9.webp", 5), (OTHER, "a.png", 7)]


def test_nothing_is_added_to_a_removed_file(store: FileStore) -> None:
    with pytest.raises(FileNotFoundError):
        store.add(KEY, "a.png", "_w9.webp", b"small")

    assert addresses(store) == []


def test_an_unsettled_file_is_found_in_time(store: FileStore) -> None:
    store.save(KEY, "a.png", b"picture")

    assert [*store.unsettled(datetime.now(UTC))] == []
    assert [*store.unsettled(LATER)] == [KEY]


@pytest.mark.parametrize(
    "url",
    [
        "s3://bucket/prefix?region=eu-1&access_key_id=me&secret_access_key=hush&session_token=x",
        "s3://bucket?endpoint=https://store.example&virtual_hosted_style_request=true",
        "s3://bucket?skip_signature=true&disable_bulk_delete=true",
        "gs://bucket/prefix?base_url=https://store.example",
        "az://container/prefix?account_name=me&account_key=aHVzaA==&endpoint=https://store.example",
        "az://container?account_name=me&client_id=x&client_secret=hush&tenant_id=y",
    ],
)
def test_the_library_takes_the_parameters_of_a_url(url: str) -> None:
    pytest.importorskip("obstore")

    assert bucket(url)._client() is not None


@pytest.mark.parametrize("relay", BUCKETS, indirect=True)
def test_two_equal_saves_do_no_harm(relay: Relay) -> None:
    store = bucket(url_of(relay.port))
    for _ in range(2):
        store.save(KEY, "a.png", b"picture")

    assert store.read(KEY, "a.png") == b"picture"


@pytest.mark.parametrize("fault", ["500", "away"])
def test_a_fault_of_one_in_ten_requests_is_not_seen(relay: Relay, fault: str) -> None:
    store = bucket(url_of(relay.port))
    relay.fault, relay.every = fault, 10

    for number in range(12):
        key = f"{number:032x}"
        store.save(key, "a.png", b"picture")
        assert store.read(key, "a.png") == b"picture"
        assert store.size(key, "a.png") == 7
    store.remove(f"{0:032x}")

    assert len(addresses(store)) == 11


def test_a_request_of_ten_that_hangs_is_tried_again(relay: Relay) -> None:
    store = bucket(url_of(relay.port), seconds=0.8)
    relay.fault, relay.every = "hang", 10

    for number in range(12):
        key = f"{number:032x}"
        store.save(key, "a.png", b"picture")
        assert store.read(key, "a.png") == b"picture"


@pytest.mark.parametrize("fault", ["500", "away", "hang"])
def test_a_store_that_is_away_is_unavailable_and_comes_back(relay: Relay, fault: str) -> None:
    store = bucket(url_of(relay.port), seconds=0.6)
    store.save(KEY, "a.png", b"picture")
    relay.fault = fault

    began = time.monotonic()
    with pytest.raises(Unavailable):
        store.save(OTHER, "a.png", b"picture")
    assert time.monotonic() - began < 2.5
    for ask in (store.read, store.size, store.open):
        began = time.monotonic()
        with pytest.raises(Unavailable):
            ask(KEY, "a.png")
        assert time.monotonic() - began < 0.1  # it is left alone for a while
    store.remove(KEY)  # a job does it later
    relay.fault = ""
    store._away_until = 0.0  # after the pause

    def read() -> bytes:
        with suppress(Unavailable):  # the machine is busy
            return store.read(KEY, "a.png")
        return b""

    assert until(read) == b"picture"


@pytest.mark.parametrize("relay", BUCKETS, indirect=True)
def test_what_is_read_whole_is_what_was_saved(relay: Relay) -> None:
    store = bucket(url_of(relay.port))
    store.save(KEY, "a.png", b"picture" * 100_000)
    relay.changed = lambda body: body.replace(b"picture", b"pidgeon", 1)

    with pytest.raises(DamagedFile):
        store.read(KEY, "a.png")


def test_a_listing_tells_what_is_no_file(run_folder: Path, tmp_path: Path) -> None:
    obstore = pytest.importorskip("obstore")
    store = bucket(url_of(port_of("rclone", run_folder)))
    obstore.put(store._client(), "notes/todo.txt", b"!", use_multipart=False)
    folder = FolderStore(tmp_path / "files")
    (tmp_path / "files" / "notes").mkdir(parents=True)
    (tmp_path / "files" / "notes" / "todo.txt").write_text("!")

    assert addresses(store) == [("", "notes/todo.txt", 1)]
    assert addresses(folder) == [("", "notes/todo.txt", 1)]

"""Decoders: separate processes with limits of their own, which may die at any time (U4)."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import PNG, drawn, encoded, files, upload
from contract.worlds import one_page
from plugins.pictures.decode.bombs import jpeg_of_scans, png
from structlog.testing import CapturedCall, CapturingLogger

import landyard_pictures.decoders
from landyard_pictures.decode.box import Box
from landyard_pictures.decode.exchange import Made, Refused, Reply, Task, packed
from landyard_pictures.decoders import Decoders
from landyard_pictures.upload_errors import FileError

on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
SLOW = jpeg_of_scans(20_000)


def task(content: bytes = PNG, box: Box | None = None, megapixels: int = 50) -> Task:
    return Task(content, box, allow_svg=False, megapixels=megapixels, most_bytes=10**8)


def process(pool: Decoders) -> int:
    """The process id of a pool's only decoder, which must be free."""
    return pool._idle[-1]._process.pid


def act(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Let a program take the place of the decoders that are started from now on."""
    command = (sys.executable, "-sSPc", program)
    monkeypatch.setattr(landyard_pictures.decoders, "_COMMAND", command)


def large() -> bytes:
    """A PNG of the largest allowed size, 100 MB when decoded."""
    return png(5000, 5000, rows=bytes(5000 * (3 * 5000 + 1)))


def exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.fixture
def pool() -> Iterator[Decoders]:
    pool = Decoders(1, 10.0, 256)
    yield pool
    pool.close()


def test_one_process_decodes_picture_after_picture(pool: Decoders) -> None:
    first = pool.made(task())
    pid = process(pool)
    second = pool.made(task(encoded(drawn(), "JPEG")))

    assert (first, second) == (Made("PNG", None), Made("JPEG", None))
    assert process(pool) == pid


def test_a_decoder_imports_nothing_of_the_kernel(
    pool: Decoders, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It knows no more of its environment than the import paths."""
    output = tmp_path / "output"
    script = (
        f"print(*sys.modules, {{*os.environ}} - {{'LC_CTYPE'}}, file=open({str(output)!r}, 'w'))"
    )
    act(monkeypatch, f"import os, sys, decode.decoder; {script}")

    with pytest.raises(RuntimeError):
        pool.made(task())

    modules = set(output.read_text().split())
    assert "decode.resizing" in modules
    assert modules.isdisjoint({"landyard", "landyard_landing", "sqlalchemy", "litestar", "socket"})
    assert output.read_text().endswith("{'PYTHONPATH'}\n")


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="Linux tells the limits")
def test_a_decoder_has_resource_limits(pool: Decoders) -> None:
    pool.made(task())
    pid = process(pool)
    lines = Path(f"/proc/{pid}/limits").read_text().splitlines()
    limits = {line[:26].strip(): line[26:].split()[:2] for line in lines[1:]}

    assert limits["Max file size"] == limits["Max core file size"] == ["0", "0"]
    assert limits["Max open files"] == ["3", "3"]
    assert 256 <= int(limits["Max address space"][1]) >> 20 <= 512
    assert 10 <= int(limits["Max cpu time"][0]) <= 13
    assert os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, 0) + 10
    assert {fd.name for fd in Path(f"/proc/{pid}/fd").iterdir()} == {"0", "1", "2"}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux binds to cores")
def test_a_decoder_of_a_worker_on_one_core_runs_on_all(pool: Decoders) -> None:
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(every)})
    try:
        pool.made(task())
    finally:
        os.sched_setaffinity(0, every)

    assert os.sched_getaffinity(process(pool)) >= every


def test_a_picture_that_takes_too_long_ends_its_decoder_and_no_other() -> None:
    pool = Decoders(1, 0.5, 256)
    pool.made(task())
    pid = process(pool)
    began = time.monotonic()

    with pytest.raises(FileError, match="to decode"):
        pool.made(task(SLOW))

    assert time.monotonic() - began < 30
    assert not exists(pid)
    assert pool.made(task()).kind == "PNG"
    pool.close()


def test_a_decoder_that_never_answers_is_given_up_after_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    idle = "import os, time; os.write(0, b'!'); time.sleep(60)"
    act(monkeypatch, idle)
    pool = Decoders(1, 0.1, 256)
    began = time.monotonic()

    with pytest.raises(FileError, match=r"more than 0\.1 s"):
        pool.made(task())

    assert 0.6 <= time.monotonic() - began < 30
    assert pool._idle == []


def test_a_picture_that_takes_too_much_memory_ends_its_decoder_and_no_other() -> None:
    pool = Decoders(1, 10.0, 64)
    pool.made(task())
    pid = process(pool)

    with pytest.raises(FileError, match="memory"):
        pool.made(task(large()))

    assert not exists(pid)
    assert pool.made(task()).kind == "PNG"
    pool.close()


def ticks(pid: int) -> int:
    """The processor time that a process has used, in hundredths of a second."""
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))


def kill_when_busy(pid: int, number: signal.Signals, before: int) -> None:
    while ticks(pid) < before + 5:
        time.sleep(0.01)
    os.kill(pid, number)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGXCPU])
def test_a_decoder_that_dies_over_a_picture_is_replaced(
    pool: Decoders, number: signal.Signals
) -> None:
    pool.made(task())
    pid = process(pool)
    dying = threading.Thread(target=kill_when_busy, args=[pid, number, ticks(pid)])
    dying.start()

    with pytest.raises(FileError, match="memory"):
        pool.made(task(SLOW))
    dying.join()

    assert not exists(pid)
    assert pool.made(task()).kind == "PNG"


def test_a_decoder_that_died_meanwhile_is_replaced(pool: Decoders) -> None:
    pool.made(task())
    pid = process(pool)
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # so that the pool finds it dead

    assert pool.made(task()).kind == "PNG"


def test_a_decoder_is_replaced_after_a_number_of_pictures(
    pool: Decoders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(landyard_pictures.decoders, "_PICTURES", 2)
    pool.made(task())
    first = process(pool)
    pool.made(task())

    assert not exists(first)
    assert pool.made(task()).kind == "PNG"


def test_waiting_for_a_decoder_has_a_limit() -> None:
    pool = Decoders(1, 0.3, 256)
    pool._turns.get()
    began = time.monotonic()

    with pytest.raises(FileError, match="try again"):
        pool.made(task())

    assert 0.8 < time.monotonic() - began < 30
    pool._turns.put(None)
    assert pool.made(task()).kind == "PNG"
    pool.close()


def test_decoders_are_shared_between_threads() -> None:
    pool = Decoders(2, 10.0, 256)
    found: list[Any] = []

    def some() -> None:
        found.extend(pool.made(task(encoded(drawn(), "BMP"))) for _ in range(5))

    threads = [threading.Thread(target=some) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [Made("BMP", None)] * 30
    started = [decoder._process.pid for decoder in pool._idle]
    assert 1 <= len(started) <= 2
    pool.close()
    assert not any(map(exists, started))


LIES: dict[str, bytes | Reply] = {
    "another kind": Made("EXE", b"MZ"),
    "SVG though it is off": Made("SVG", b"<svg/>"),
    "no message": b"\0\0\0\x05hello",
    "half a message": packed(Made("PNG", b"x" * 100))[:-50],
    "no end": b"\xff\xff\xff\xff" + bytes(1000),
    "more than is wanted": packed(Made("PNG", bytes(20_000))),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_a_decoder_answers_is_checked(
    pool: Decoders, lie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = LIES[lie]
    answer = reply if isinstance(reply, bytes) else packed(reply)
    lying = f"import os; os.write(0, b'!'); os.read(0, 9999); os.write(0, {answer!r})"
    act(monkeypatch, lying)

    with pytest.raises(FileError):
        pool.made(Task(PNG, None, allow_svg=False, megapixels=50, most_bytes=1000))


def test_a_decoders_answer_has_a_maximum_length(
    pool: Decoders, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = packed(Refused("x" * 4000))
    lying = f"import os; os.write(0, b'!'); os.read(0, 9999); os.write(0, {answer!r})"
    act(monkeypatch, lying)

    with pytest.raises(FileError) as refused:
        pool.made(task())

    assert len(str(refused.value)) <= 200


def test_a_decoder_that_cannot_start_is_no_fault_of_the_caller(
    pool: Decoders, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = CapturingLogger()
    monkeypatch.setattr(landyard_pictures.decoders, "log", log)
    act(monkeypatch, "raise SystemExit(3)")

    for _ in range(2):
        with pytest.raises(RuntimeError):
            pool.made(task())

    assert log.calls == [CapturedCall("error", ("decoder_not_started",), {"status": 3})] * 2


def test_a_decoder_that_starts_with_a_wrong_message_is_ended(
    pool: Decoders, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = CapturingLogger()
    monkeypatch.setattr(landyard_pictures.decoders, "log", log)
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(*given: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(popen(*given, **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    other = "import os, time; os.write(0, b'?'); time.sleep(60)"
    act(monkeypatch, other)

    with pytest.raises(RuntimeError):
        pool.made(task())

    assert not exists(started[0].pid)
    assert [call.kwargs for call in log.calls] == [{"status": -signal.SIGKILL}]


def test_a_decoder_ends_with_the_process_that_started_it() -> None:
    program = (
        "import os, signal\n"
        "from landyard_pictures.decoders import Decoders\n"
        "from landyard_pictures.decode.exchange import Task\n"
        "pool = Decoders(1, 10.0, 256)\n"
        f"pool.made(Task({PNG!r}, None, False, 50, 10**6))\n"
        "print(pool._idle[-1]._process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=False)
    pid = int(done.stdout)

    deadline = time.monotonic() + 10
    while ended(pid) is False and time.monotonic() < deadline:
        time.sleep(0.02)

    assert ended(pid)


def ended(pid: int) -> bool:
    """Tell whether a process has ended, even if it was not waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@on_sqlite
def test_kernels_with_the_same_settings_share_decoders(make_service: MakeService) -> None:
    one, two = make_service(world=one_page()), make_service()
    before = len(landyard_pictures.decoders._all)

    assert upload(one).error is None
    assert upload(two).error is None

    assert len(landyard_pictures.decoders._all) <= before + 1


@on_sqlite
@pytest.mark.rule("U4")
def test_U4_a_picture_that_takes_too_long_is_refused(make_service: MakeService) -> None:
    service = make_service(world=one_page(), uploads={"decode_seconds": 0.2})

    assert upload(service, SLOW).error == "FILE_ERROR"
    assert files(service) == {}
    assert upload(service).error is None


@on_sqlite
@pytest.mark.rule("U4")
def test_U4_a_picture_that_takes_too_much_memory_is_refused(make_service: MakeService) -> None:
    service = make_service(world=one_page(), uploads={"decode_megabytes": 64})

    assert upload(service, large()).error == "FILE_ERROR"
    assert upload(service).error is None

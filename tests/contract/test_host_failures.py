"""Answers stay right when the log, the database or a lock fails."""

import os
import re
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa
from conftest import postgres_database
from contract.worlds import HTML, block, page, webhook_of
from faulty.load import DRAFT, FAULTY, PAGE, PAGE_PATH, WORLD, Answer, Caller
from kernel.database_proxy import Between, between
from kernel.processes import (
    PATIENCE,
    Server,
    command,
    environment,
    landyard,
    serving,
    serving_with_log,
)
from kernel.supervised import until

CALLS = f"/rest/1/{webhook_of(1)}/"
UNKNOWN = f"/rest/1/{FAULTY}/nothing"
LOOK = {"lid": PAGE, "params": {"edit_mode": True, "get_content": True}}
LOCK_WAIT = 10.0  # seconds, as documented


def ask(server: Server, method: str, params: Any) -> Answer:
    caller = Caller(server.port)
    try:
        return caller.ask(CALLS + method, params)
    finally:
        caller.close()


def visit(server: Server, path: str) -> tuple[Any, float]:
    """Request a page as a browser does; return the answer and the seconds it took."""
    began = time.monotonic()
    answer = server.ask("GET", path, headers={"Accept": "text/html"})
    return answer, time.monotonic() - began


def edit(server: Server, title: str) -> Answer:
    data = {".title": title}
    return ask(server, "landing.block.updatenodes", {"lid": PAGE, "block": DRAFT, "data": data})


def title(server: Server) -> str:
    blocks = ask(server, "landing.block.getlist", LOOK).told["result"]
    content = next(each["content"] for each in blocks if each["id"] == DRAFT)
    found = re.search(r"<h2[^>]*>([^<]*)</h2>", content)
    assert found is not None
    return found[1]


def loaded(folder: Path, **more: str) -> None:
    done = landyard(folder, "load", "-", given=msgspec.json.encode(WORLD), **more)
    assert done.status == 0, done.err


def same_time(**asked: Callable[[], Any]) -> dict[str, Any]:
    """Run all functions at once; return the results by name."""
    answers: dict[str, Any] = {}

    def keep(name: str, work: Callable[[], Any]) -> None:
        answers[name] = work()

    threads = [threading.Thread(target=keep, args=each) for each in asked.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return answers


# ------------------------------------------------------------------ the log


@contextmanager
def log_of(kind: str) -> Iterator[tuple[Any, int]]:
    """Open a target for the log, and return the end from which the test reads it."""
    if kind == "a full disk":
        with Path("/dev/full").open("wb") as full:
            yield full, -1
        return
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe:
        if kind == "nobody there":
            os.close(reading)
        yield pipe, reading
    if kind != "nobody there":
        os.close(reading)


@pytest.mark.parametrize("kind", ["a full disk", "nobody there", "nobody reads"])
def test_a_log_that_cannot_be_written_changes_no_answer(tmp_path: Path, kind: str) -> None:
    loaded(tmp_path)
    words = [*command(), "serve"]
    with log_of(kind) as (log, reading), serving_with_log(log, tmp_path, words, {}) as server:
        caller = Caller(server.port)
        # each answer logs one line; a pipe holds 64 KiB, and the service buffers as much
        for _ in range(900 if kind == "nobody reads" else 50):
            assert caller.ask(UNKNOWN).status in {404, 503}
        assert edit(server, "Written").status == 200
        assert title(server) == "Written"
        if kind == "nobody reads":
            lost = until(lambda: lost_lines(caller, reading))
            assert int(lost[1]) > 0
        caller.close()
        assert server.stop() == 0


def lost_lines(caller: Caller, reading: int) -> re.Match[bytes] | None:
    """Read the log; the next log line then reports how many were lost."""
    came = os.read(reading, 1 << 20)
    caller.ask(UNKNOWN)
    return re.search(rb"log_lines_lost.*?lines\D*?(\d+)", came)


def test_a_service_without_standard_error_answers(tmp_path: Path) -> None:
    """The next opened file would get the number of standard error, if nothing else took it."""
    loaded(tmp_path)
    words = ["sh", "-c", 'exec "$@" 2>&-', "sh", *command(), "serve"]
    with serving(tmp_path, program=words) as server:
        assert edit(server, "Written").status == 200
        assert title(server) == "Written"


# ------------------------------------------------------- the database is away


def test_a_backup_is_made_without_standard_error(tmp_path: Path) -> None:
    loaded(tmp_path)
    words = ["sh", "-c", 'exec "$@" 2>&-', "sh", *command(), "db", "backup", "kept.tar.gz"]

    done = subprocess.run(words, cwd=tmp_path, env=environment(tmp_path), check=False)

    assert done.returncode == 0
    assert (tmp_path / "kept.tar.gz").stat().st_size > 0


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    """A database that holds only the rows loaded here."""
    with postgres_database() as url:
        yield url


@pytest.fixture(scope="module", params=["silent", "gone"])
def day(
    request: pytest.FixtureRequest, postgres_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Any]]:
    """A service on a day on which its database goes away: the answers during and after the
    failure.
    """
    folder = tmp_path_factory.mktemp(request.param)
    loaded(folder, LANDYARD_DATABASE_URL=postgres_url)
    with between(postgres_url) as proxy:
        url: Any = {"LANDYARD_DATABASE_URL": proxy.url}
        with serving(folder, **url) as server:
            assert visit(server, PAGE_PATH)[0][0] == 200
            assert ask(server, "landing.block.getlist", LOOK).status == 200
            proxy.silence() if request.param == "silent" else proxy.close()
            said = same_time(
                ready=lambda: visit(server, "/readyz"),
                page=lambda: visit(server, PAGE_PATH),
                other=lambda: visit(server, "/nowhere/"),
                read=lambda: ask(server, "landing.block.getlist", LOOK),
                write=lambda: edit(server, "Lost"),
                word=lambda: landyard(folder, "page", "list", **url),
                backup=lambda: landyard(folder, "db", "backup", "x.tar.gz", **url),
            )
            if request.param == "silent":
                proxy.speak()
                until(lambda: visit(server, "/readyz")[0][0] == 200, server.err)
                said["afterwards"] = visit(server, PAGE_PATH), edit(server, "Back")
            yield said


def test_a_day_without_the_database(day: dict[str, Any]) -> None:
    """One test, because each xdist worker with a part of it would repeat the whole day."""
    _visitors_get_the_page_from_memory_marked_as_stale(day)
    _visitors_get_a_page_of_failure_where_none_is_in_memory(day)
    for call in ("read", "write"):
        _callers_get_an_envelope(day, call)
    _readiness_is_answered_within_two_seconds(day)
    for word in ("word", "backup"):
        _the_command_line_says_that_the_database_is_away(day, word)
    _all_is_well_afterwards(day)


def _visitors_get_the_page_from_memory_marked_as_stale(day: dict[str, Any]) -> None:
    (status, headers, body), seconds = day["page"]

    assert status == 200
    assert headers["warning"] == '110 - "Response is Stale"'
    assert b"<h2" in body
    assert seconds < LOCK_WAIT


def _visitors_get_a_page_of_failure_where_none_is_in_memory(day: dict[str, Any]) -> None:
    (status, headers, body), seconds = day["other"]

    assert status == 503
    assert headers["retry-after"].isdecimal()
    assert headers["content-type"].startswith("text/html")
    assert b"<!doctype html>" in body
    assert seconds < LOCK_WAIT


def _callers_get_an_envelope(day: dict[str, Any], call: str) -> None:
    answer = day[call]

    assert answer.refused
    assert answer.error == "OVERLOAD_LIMIT"
    assert answer.seconds < LOCK_WAIT


def _readiness_is_answered_within_two_seconds(day: dict[str, Any]) -> None:
    (status, _, _), seconds = day["ready"]

    assert status == 503
    assert seconds < 2.0 + 1.0  # one more second for a busy machine


def _the_command_line_says_that_the_database_is_away(day: dict[str, Any], word: str) -> None:
    finished = day[word]

    assert finished.status == 1
    assert finished.out == ""
    # not a line of the log
    lines = [line for line in finished.err.splitlines() if "Z [" not in line]
    assert len(lines) == 1, finished.err
    assert lines[0].startswith("Error: the database cannot be used: ")
    assert "database_url" in lines[0]


def _all_is_well_afterwards(day: dict[str, Any]) -> None:
    if "afterwards" not in day:
        return  # the database stays away
    ((status, headers, _), _), written = day["afterwards"]

    assert (status, "warning" in headers) == (200, False)
    assert written.status == 200


@pytest.fixture(scope="module")
def cut(
    postgres_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Server, Between]]:
    folder = tmp_path_factory.mktemp("cut")
    loaded(folder, LANDYARD_DATABASE_URL=postgres_url)
    with (
        between(postgres_url) as proxy,
        serving(folder, LANDYARD_DATABASE_URL=proxy.url) as server,
    ):
        yield server, proxy


def test_a_connection_lost_midway_is_a_refusal(cut: tuple[Server, Between]) -> None:
    """A single test, so that only one xdist worker starts the service."""
    for statement, behind in [
        (b"UPDATE landing_block", False),
        (b"COMMIT", False),
        (b"COMMIT", True),
    ]:
        _is_refused(cut, statement, behind=behind)


def _is_refused(cut: tuple[Server, Between], statement: bytes, *, behind: bool) -> None:
    """The result of a lost commit is unknown, and the answer says so."""
    server, proxy = cut
    wanted = f"Until {statement.decode().lower()} {behind}"
    before = title(server)
    proxy.cut, proxy.cut_behind, proxy.cut_at = False, behind, statement
    answer = edit(server, wanted)

    assert proxy.cut
    assert answer.refused, answer
    assert ("may be done" in answer.told["error_description"]) is (statement == b"COMMIT")
    until(lambda: title(server) == (wanted if behind else before), server.err)


# ------------------------------------------------------------------- locks


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The variables of a loaded service on each kind of database."""
    url = f"sqlite:///{tmp_path / 'data' / 'landyard.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
    loaded(tmp_path, LANDYARD_DATABASE_URL=url)
    return {"LANDYARD_DATABASE_URL": url}


@contextmanager
def locked(url: str) -> Iterator[None]:
    """Hold a lock that an edit needs."""
    with ExitStack() as stack:
        if url.startswith("sqlite"):
            file = sa.make_url(url).database
            assert file is not None
            held = stack.enter_context(closing(sqlite3.connect(file, isolation_level=None)))
            held.execute("BEGIN IMMEDIATE")
        else:
            engine = sa.create_engine(url, poolclass=sa.NullPool)
            other = stack.enter_context(engine.begin())
            other.execute(sa.text("SELECT * FROM landing_page FOR UPDATE"))
            other.execute(sa.text("SELECT * FROM landing_block FOR UPDATE"))
        yield


def others_are_well(server: Server) -> None:
    """Reads succeed while an edit waits and is refused after ten seconds."""
    said = same_time(
        write=lambda: edit(server, "Refused"),
        read=lambda: ask(server, "landing.block.getlist", LOOK),
        page=lambda: visit(server, PAGE_PATH),
    )
    assert said["write"].refused, said
    assert LOCK_WAIT - 1 < said["write"].seconds < LOCK_WAIT + 5  # a busy machine
    assert said["read"].status == 200
    assert said["page"][0][0] == 200
    assert said["page"][1] < LOCK_WAIT / 2
    assert said["read"].seconds < LOCK_WAIT / 2


@pytest.mark.soak
def test_a_lock_held_by_others_is_a_refusal_after_ten_seconds(
    place: dict[str, str], tmp_path: Path
) -> None:
    with serving(tmp_path, **place) as server:
        with locked(place["LANDYARD_DATABASE_URL"]):
            others_are_well(server)
        assert edit(server, "Free").status == 200


@pytest.mark.soak
def test_while_load_writes_others_read_and_their_writes_are_refused(
    place: dict[str, str], tmp_path: Path
) -> None:
    more = [page(number, block(number * 10, content=HTML)) for number in range(1000, 3000)]
    blocks = [block(DRAFT, content="<section>Loaded</section>")]
    changed = {**WORLD, "pages": [{**WORLD["pages"][0], "blocks": blocks}, *more]}
    file = tmp_path / "world.json"
    file.write_bytes(msgspec.json.encode(changed))
    variables = environment(tmp_path, **place)
    with serving(tmp_path, **place) as server:
        load = subprocess.Popen([*command(), "load", str(file)], env=variables)
        try:
            until(lambda: stopped_while_it_writes(load, place["LANDYARD_DATABASE_URL"]))
            others_are_well(server)
        finally:
            load.send_signal(signal.SIGCONT)
        assert load.wait(PATIENCE) == 0
        assert ask(server, "landing.block.getlist", LOOK).status == 200


def stopped_while_it_writes(load: subprocess.Popen[bytes], url: str) -> bool:
    """Stop the command while it holds the lock; the service also holds it for short moments."""
    assert load.poll() is None
    if not is_locked(url):
        return False
    load.send_signal(signal.SIGSTOP)
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        if not is_locked(url):
            load.send_signal(signal.SIGCONT)
            return False
    return True


def is_locked(url: str) -> bool:
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(sa.make_url(url).database or "", timeout=0)) as probe:
            with suppress(sqlite3.OperationalError):
                probe.execute("BEGIN IMMEDIATE")
                return False
            return True
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.connect() as probe:
        try:
            probe.execute(
                sa.text("SELECT 1 FROM landing_block WHERE id = :id FOR UPDATE NOWAIT"),
                {"id": DRAFT},
            )
        except sa.exc.OperationalError:
            return True
    return False

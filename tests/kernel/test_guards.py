"""Guards: modules patched, threads and memory left behind, and whose doing it was."""

import concurrent.futures
import functools
import json
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from kernel.sample import sample_service
from structlog.testing import capture_logs

from landyard.guards import Guards
from landyard.leftovers import MOST_THREADS, Leftovers
from landyard.memory import MOST_MEGABYTES, Memory
from landyard.patches import Patch, Patches
from landyard.ticker import Ticker

MIB = 1024 * 1024
PAGE = os.sysconf("SC_PAGE_SIZE")
PLUGINS = {"landyard_shady": "shady", "landyard_quiet": "quiet"}


def owner_of(module: str) -> str | None:
    return PLUGINS.get(module.partition(".")[0])


def of_plugin(code: str, module: str = "landyard_shady.insides") -> dict[str, Any]:
    """Run code as that of a plugin's module; return what it has defined."""
    names: dict[str, Any] = {"__name__": module}
    exec(compile(code, f"{module}.py", "exec"), names)
    return names


# ----------------------------------------------------------------------------------------- patches


@pytest.fixture
def patches() -> Iterator[Patches]:
    patches = Patches(owner_of)
    yield patches
    patches.restore()
    patches.close()


PATCHED = {
    "json.dumps": "import json\njson.dumps = lambda *a, **k: 'oops'",
    "json.decoder.JSONDecoder.decode": (
        "from json import JSONDecoder\nJSONDecoder.decode = lambda self, text: {}"
    ),
    "msgspec.json.encode": "import msgspec\ndef fake(x): pass\nmsgspec.json.encode = fake",
    "builtins.open": "import builtins\nclass Fake: pass\nbuiltins.open = Fake",
    "time.time": (
        "import time\nclass Clock:\n  def __call__(self): return 0.0\ntime.time = Clock()"
    ),
    "random.random": (
        "import random\nclass Dice:\n  def roll(self): return 4\nrandom.random = Dice().roll"
    ),
    "threading.Thread.start": (
        "import threading, functools\nold = threading.Thread.start\n"
        "@functools.wraps(old)\ndef start(self): return old(self)\nthreading.Thread.start = start"
    ),
    "hashlib.sha256": (
        "import hashlib, functools\ndef fake(kind, data=b''): pass\n"
        "hashlib.sha256 = functools.partial(fake, 1)"
    ),
    "os.urandom": (
        "import os, functools\n@functools.lru_cache\ndef fake(n): return bytes(n)\n"
        "os.urandom = fake"
    ),
    "sqlalchemy.engine.base.Connection.execute": (
        "from sqlalchemy.engine import Connection\nConnection.execute = lambda *a, **k: None"
    ),
    "landyard.dispatch.Dispatcher.__call__": (
        "from landyard.dispatch import Dispatcher\nDispatcher.__call__ = lambda *a: None"
    ),
    "threading.setprofile": "import threading\nthreading.setprofile(lambda *a: None)",
    "sys.modules.json": (
        "import sys, types\nfake = types.ModuleType(__name__ + '.fake')\nsys.modules['json'] = fake"
    ),
}


@pytest.mark.parametrize("name", PATCHED)
def test_who_patched_what_is_told_and_put_right(patches: Patches, name: str) -> None:
    of_plugin(PATCHED[name])

    changed = patches.changed()
    patches.restore()

    assert [f"{patch.module}.{patch.name}" for patch in changed] == [name]
    assert changed[0].owner == "shady"
    assert patches.changed() == []


SET = {
    "json.loads": "import json\ndel json.loads",
    "sys.setrecursionlimit": "import sys\nsys.setrecursionlimit(5000)",
    "sys.setswitchinterval": "import sys\nsys.setswitchinterval(1.0)",
    "socket.setdefaulttimeout": "import socket\nsocket.setdefaulttimeout(0.5)",
    "os.chdir": "import os\nos.chdir('/')",
}


@pytest.mark.parametrize("name", SET)
def test_what_shows_no_owner_is_of_the_plugin_being_imported(patches: Patches, name: str) -> None:
    of_plugin(SET[name], module="nobody")

    unknown, changed = patches.changed(), patches.changed(importing="shady")
    patches.restore()

    module, _, attribute = name.rpartition(".")
    assert unknown == [Patch(module, attribute, "")]
    assert changed == [Patch(module, attribute, "shady")]
    assert patches.changed() == []


SETTERS = [name for name in SET if name != "json.loads"]


@pytest.mark.parametrize("name", SETTERS)
def test_who_has_set_something_for_all_is_told(patches: Patches, name: str) -> None:
    of_plugin(SET[name])

    module, _, attribute = name.rpartition(".")
    assert patches.changed() == [Patch(module, attribute, "shady")]


@pytest.mark.parametrize("name", SETTERS)
def test_what_a_call_has_set_is_put_back_when_it_ends(patches: Patches, name: str) -> None:
    of_plugin(SET[name])
    patches.settle("quiet")  # it did not
    assert patches.changed()
    patches.settle("shady")
    of_plugin(SET[name], "landyard_quiet")

    module, _, attribute = name.rpartition(".")
    assert [patch.owner for patch in patches.changed()] == ["shady", "quiet"]
    patches.settle("quiet")
    assert patches.changed() == [Patch(module, attribute, owner) for owner in ("shady", "quiet")]
    patches.restore()
    assert patches.changed() == []


def test_a_call_that_puts_back_what_it_set_has_done_nothing(patches: Patches) -> None:
    of_plugin(
        "import sys\nbefore = sys.getrecursionlimit()\nsys.setrecursionlimit(before + 1)\n"
        "sys.setrecursionlimit(before)"
    )
    assert patches.doers
    assert patches.changed() == []
    assert not patches.doers  # or the end of each call would be slow from here on


def test_a_module_that_is_taken_away_is_back_when_the_call_ends(patches: Patches) -> None:
    sys.modules.pop("json")
    patches.settle("shady")

    assert sys.modules["json"] is json
    assert patches.changed() == [Patch("sys.modules", "json", "shady")]


def test_an_owner_that_shows_counts_for_more_than_who_is_imported(patches: Patches) -> None:
    of_plugin(PATCHED["json.dumps"])

    assert [patch.owner for patch in patches.changed(importing="quiet")] == ["shady"]


def test_what_was_there_works_again(patches: Patches) -> None:
    before = (json.dumps, json.decoder.JSONDecoder.decode, Path.cwd(), sys.getrecursionlimit())
    for code in [*SET.values(), *PATCHED.values()]:
        of_plugin(code)
    patches.restore()

    after = (json.dumps, json.decoder.JSONDecoder.decode, Path.cwd(), sys.getrecursionlimit())
    assert after == before
    assert sys.modules["json"] is json
    assert json.loads(json.dumps({"a": [1]})) == {"a": [1]}


def test_a_service_at_work_changes_nothing() -> None:
    with sample_service() as service:
        patches = Patches(owner_of)
        assert service.call("sample.kinds").status == 200
        service.request("GET", "/healthz")
        service.kernel.schema.drift(service.kernel.store)

        assert patches.changed() == []


def test_a_working_folder_that_is_gone_is_nobodys_doing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    patches = Patches(owner_of)
    folder.rmdir()

    assert patches.changed() == []
    patches.restore()


# ----------------------------------------------------------------------------------------- threads


@pytest.fixture
def release() -> Iterator[threading.Event]:
    release = threading.Event()
    yield release
    release.set()


@pytest.fixture
def leftovers() -> Iterator[Leftovers]:
    leftovers = Leftovers(owner_of)
    yield leftovers
    leftovers.close()


START = "import threading, concurrent.futures, functools\n"
STARTED = {
    "function": "def work(): release.wait()\nthreading.Thread(target=work, daemon=True).start()",
    "method": "threading.Thread(target=release.wait, daemon=True).start()",
    "subclass": (
        "class Own(threading.Thread):\n  def run(self): release.wait()\nOwn(daemon=True).start()"
    ),
    "pool": "pool = concurrent.futures.ThreadPoolExecutor(1)\npool.submit(release.wait)",
    "timer": "timer = threading.Timer(1000, print)\ntimer.daemon = True\ntimer.start()",
    "by a library": "library(release)",
}


def library(release: threading.Event) -> None:
    """Start a thread in code that is no plugin's, for whoever asks for it."""
    threading.Thread(target=release.wait, daemon=True).start()


@pytest.mark.parametrize("how", STARTED)
def test_a_thread_is_of_the_plugin_whose_code_started_it(
    leftovers: Leftovers, release: threading.Event, how: str
) -> None:
    start = of_plugin(
        f"{START}def start(release, library):\n  " + STARTED[how].replace("\n", "\n  ") + "\n"
        "  return locals()"
    )["start"]
    started = start(release, library)

    assert leftovers.threads() == {"shady": 1}
    if "timer" in started:
        started["timer"].cancel()
    release.set()
    if "pool" in started:
        started["pool"].shutdown()


def test_a_thread_that_a_plugins_thread_starts_is_the_plugins(
    leftovers: Leftovers, release: threading.Event
) -> None:
    start = of_plugin(
        "import threading, functools\n"
        "def start(library, release):\n"
        "  threading.Thread(target=library, args=(release,)).start()"
    )["start"]
    begun = threading.Event()

    def twice(release: threading.Event) -> None:
        library(release)
        begun.set()
        release.wait()

    start(twice, release)
    assert begun.wait(60)

    assert leftovers.threads() == {"shady": 2}


def test_threads_that_have_ended_and_those_of_others_do_not_count(
    leftovers: Leftovers, release: threading.Event
) -> None:
    ended = of_plugin(
        "import threading\nthreads = [threading.Thread(target=int) for _ in range(50)]\n"
        "for each in threads:\n  each.start()\n  each.join()"
    )
    library(release)

    assert leftovers.threads() == {}
    assert len(ended["threads"]) == 50


def test_a_thread_that_the_kernel_starts_for_a_plugin_is_the_kernels(leftovers: Leftovers) -> None:
    ticker = Ticker("sample", 1000.0, print)
    of_plugin("def start(ticker): ticker.start()")["start"](ticker)

    assert leftovers.threads() == {}
    ticker.stop(60.0)


def test_who_leaves_too_many_threads_is_named_under_the_load_of_others(
    leftovers: Leftovers, release: threading.Event
) -> None:
    leave = of_plugin(
        "import threading\ndef leave(release):\n"
        "  threading.Thread(target=release.wait, daemon=True).start()"
    )["leave"]
    quiet = of_plugin("def work():\n  return sum(range(100))", "landyard_quiet")["work"]
    with ThreadPoolExecutor(4) as calls:
        done = [
            calls.submit(*(leave, release) if number % 2 else (quiet,))
            for number in range(2 * MOST_THREADS)
        ]
        concurrent.futures.wait(done)
        assert leftovers.over() == []
        calls.submit(leave, release).result()

        assert leftovers.over() == [("shady", "it has left 33 threads behind; 32 is the most")]


def test_two_kernels_count_each_its_own_plugins(
    leftovers: Leftovers, release: threading.Event
) -> None:
    other = Leftovers({"landyard_quiet": "quiet"}.get)
    code = "def start(library, release): library(release)"
    of_plugin(code, "landyard_quiet")["start"](library, release)
    of_plugin(code, "landyard_shady")["start"](library, release)

    assert other.threads() == {"quiet": 1}
    assert leftovers.threads() == {"quiet": 1, "shady": 1}
    other.close()
    of_plugin(code, "landyard_quiet")["start"](library, release)
    assert other.threads() == {"quiet": 1}


def test_a_guard_that_fails_keeps_no_thread_from_starting() -> None:
    def fails(module: str) -> str | None:
        raise ValueError(module)

    leftovers = Leftovers(fails)
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    leftovers.close()

    assert thread.ident is not None


# ------------------------------------------------------------------------------------------ memory


class Called:
    """A call under way in a thread of its own."""

    def __init__(self, process: "Process", plugin: str) -> None:
        self._process = process
        self._thread = ThreadPoolExecutor(1)
        self._ident = self._thread.submit(threading.get_ident).result(60)
        process.threads.append(self._thread)
        process.pages[self._ident] = 100
        self._since = process.now
        begin = self._thread.submit(process.memory.begin, self._ident, plugin)
        self._call = begin.result(60)

    def take(self, megabytes: float) -> None:
        """Touch new pages."""
        self._process.grow(megabytes)
        self._process.pages[self._ident] += int(megabytes * MIB) // PAGE

    def end(self) -> None:
        seconds = self._process.now - self._since
        self._thread.submit(self._process.memory.end, self._call, seconds).result(60)


class Process:
    """A process with as much memory as is said, and a clock that is set by hand."""

    def __init__(self) -> None:
        self.size = 100 * MIB
        self.now = 1000.0
        self.pages: dict[int, int] = {}
        self.counts_pages = True
        self.threads: list[ThreadPoolExecutor] = []
        self.memory = Memory(lambda: self.size, self._touched, lambda: self.now)

    def _touched(self, threads: Iterable[int]) -> dict[int, int]:
        wanted = set(threads) & set(self.pages)
        return {thread: self.pages[thread] for thread in wanted} if self.counts_pages else {}

    def grow(self, megabytes: float) -> None:
        self.size += int(megabytes * MIB)

    def look(self, times: int = 1) -> None:
        for _ in range(times):
            self.now += 1.0
            self.memory.look()

    def call(self, plugin: str, megabytes: float, seconds: float = 0.01) -> None:
        call = Called(self, plugin)
        call.take(megabytes)
        self.now += seconds
        call.end()

    def grown(self, *plugins: str) -> list[float]:
        return [round(self.memory.grown(plugin), 1) for plugin in plugins]


@pytest.fixture
def process() -> Iterator[Process]:
    process = Process()
    yield process
    for thread in process.threads:
        thread.shutdown()


def test_a_slow_call_is_charged_with_what_it_leaves(process: Process) -> None:
    process.call("shady", 3)
    process.call("quiet", 0)
    process.call("shady", 4)

    assert process.grown("shady", "quiet") == [7, 0]


def test_quick_calls_are_weighed_when_the_process_has_grown(process: Process) -> None:
    process.call("shady", 7, seconds=0.0)
    assert process.grown("shady") == [0]
    process.grow(2)
    process.look()
    process.call("shady", 3, seconds=0.0)
    assert process.grown("shady") == [3]


def test_slow_growth_is_seen_too(process: Process) -> None:
    for _ in range(9):
        process.grow(1)
        process.look()
    process.call("shady", 3, seconds=0.0)

    assert process.grown("shady") == [3]


def test_quick_calls_are_not_weighed_when_the_process_grows_no_more(process: Process) -> None:
    process.grow(9)
    process.look(11)
    process.call("shady", 3, seconds=0.0)

    assert process.grown("shady") == [0]


def test_growth_is_seen_from_where_the_process_has_shrunk_to(process: Process) -> None:
    process.grow(-50)
    process.look()
    process.grow(9)
    process.look()
    process.call("shady", 3, seconds=0.0)

    assert process.grown("shady") == [3]


def test_who_has_left_too_much_is_named_once(process: Process) -> None:
    for _ in range(MOST_MEGABYTES):
        process.call("shady", 1)
    assert process.memory.over() == []
    process.call("quiet", 9)
    process.call("shady", 1)

    assert process.memory.over() == [("shady", "its calls have left 257 MiB in memory")]
    assert process.memory.over() == []
    assert process.grown("shady", "quiet") == [0, 0]


def test_a_few_calls_that_leave_much_at_once_are_enough(process: Process) -> None:
    for _ in range(5):
        process.call("shady", 64)

    assert process.memory.over() == [("shady", "its calls have left 320 MiB in memory")]


def test_who_leaks_is_named_and_not_who_is_called_beside_it(process: Process) -> None:
    hanging = Called(process, "quiet")
    named: list[tuple[str, str]] = []
    for _ in range(60):
        calls = [Called(process, plugin) for plugin in ("quiet", "shady", "blocks")]
        calls[0].take(0.1)
        calls[1].take(8)
        process.now += 0.01
        for call in calls:
            call.end()
        named.extend(process.memory.over())
    hanging.end()

    assert [plugin for plugin, _ in named] == ["shady"]


def test_where_pages_are_huge_those_who_touched_any_share_what_is_left(process: Process) -> None:
    calls = [Called(process, plugin) for plugin in ("shady", "quiet", "blocks")]
    process.grow(20)
    calls[0].take(1)
    calls[1].take(1)
    process.now += 0.01
    calls[0].end()

    assert process.grown("shady", "quiet", "blocks") == [11, 11, 0]


def test_what_is_taken_between_two_calls_is_charged_to_nobody_beside(process: Process) -> None:
    """An answer is encoded, and a body read, in a thread whose call is over or yet to begin."""
    encoding = Called(process, "shady")
    encoding.end()
    calls = [Called(process, "quiet"), Called(process, "blocks")]
    calls[0].take(1)
    encoding.take(300)
    process.now += 0.01
    for call in calls:
        call.end()

    assert process.grown("quiet", "blocks") == [1, 0]
    assert process.memory.over() == []


def test_a_page_is_never_taken_for_more_than_a_huge_one(process: Process) -> None:
    call = Called(process, "quiet")
    call.take(PAGE / MIB)
    process.grow(300)
    process.now += 0.01
    call.end()

    assert process.grown("quiet") == [2]


def test_where_no_pages_are_counted_those_under_way_share(process: Process) -> None:
    process.counts_pages = False
    calls = [Called(process, plugin) for plugin in ("shady", "quiet")]
    process.grow(20)
    process.now += 0.01
    calls[0].end()

    assert process.grown("shady", "quiet") == [10, 10]


def test_what_the_main_thread_takes_is_charged_to_nobody(process: Process) -> None:
    main = threading.main_thread().ident
    assert main is not None
    process.pages[main] = 500
    process.look()
    call = Called(process, "shady")
    call.take(3)
    process.grow(30)
    process.pages[main] += 30 * MIB // PAGE
    process.now += 0.01
    call.end()

    assert process.grown("shady") == [3]


def test_large_answers_that_are_let_go_are_no_leak(process: Process) -> None:
    for _ in range(100):
        process.call("shady", 50)
        process.grow(-50)  # sent, behind the call
        assert process.memory.over() == []

    assert process.grown("shady") == [0]


def test_what_is_let_go_is_taken_off_the_largest_first(process: Process) -> None:
    process.call("shady", 30)
    process.call("quiet", 100)
    process.call("shady", 30)
    process.grow(-110)
    process.look()

    assert process.grown("shady", "quiet") == [50, 0]


def test_a_call_that_takes_much_at_once_is_named_and_hides_no_leak(process: Process) -> None:
    for _ in range(4):
        process.call("shady", 60)
    process.call("quiet", 300)

    assert process.memory.over() == [("quiet", "one of its calls took 300 MiB of memory")]
    process.grow(-300)
    assert process.memory.over() == []
    process.call("shady", 60)
    assert process.memory.over() == [("shady", "its calls have left 300 MiB in memory")]


def test_where_the_system_does_not_tell_nothing_is_weighed() -> None:
    memory = Memory(lambda: None)
    memory.look()
    memory.end(memory.begin(1, "shady"), 1.0)

    assert memory.over() == []


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell")
def test_a_leak_of_this_very_process_is_found_beside_a_call_that_waits() -> None:
    memory = Memory()
    kept: list[bytes] = []
    over = threading.Event()

    def leak() -> None:
        for _ in range(5):
            call = memory.begin(threading.get_ident(), "shady")
            kept.append(b"x" * (64 * MIB))
            memory.end(call, 1.0)

    def wait() -> None:
        call = memory.begin(threading.get_ident(), "quiet")
        over.wait(60)
        memory.end(call, 60.0)

    waiting, leaking = threading.Thread(target=wait), threading.Thread(target=leak)
    waiting.start()
    leaking.start()
    leaking.join()
    named = memory.over()
    over.set()
    waiting.join()

    assert [plugin for plugin, _ in named] == ["shady"]
    assert memory.grown("quiet") == 0


# ---------------------------------------------------------------------------------------- together


@pytest.fixture
def together() -> Iterator[Guards]:
    guards = Guards(owner_of)
    yield guards
    guards.close()
    guards.patches.restore()


def test_a_look_names_each_of_them_with_a_reason(
    together: Guards, release: threading.Event
) -> None:
    leave = of_plugin(
        "def leave(library, release):\n  for _ in range(33): library(release)", "landyard_quiet"
    )["leave"]
    leave(library, release)
    of_plugin(PATCHED["json.dumps"])
    of_plugin(PATCHED["time.time"])

    assert sorted(together.over()) == [
        ("quiet", "it has left 33 threads behind; 32 is the most"),
        ("shady", "it has changed time.time and 1 more"),
    ]
    assert json.dumps([1]) == "[1]"
    assert time.time() > 0


def test_what_nobody_can_be_blamed_for_is_put_right_and_logged(
    together: Guards, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("json.dumps", functools.partial(print))
    with capture_logs() as logs:
        assert together.over() == []

    assert logs == [
        {
            "event": "patch_undone",
            "log_level": "warning",
            "module": "json",
            "name": "dumps",
            "plugin": None,
        }
    ]
    assert json.dumps([1]) == "[1]"


def test_a_plugin_that_patches_while_it_is_imported_is_named(together: Guards) -> None:
    of_plugin(SET["socket.setdefaulttimeout"])

    assert together.mended(importing="shady") == [
        ("shady", "it has changed socket.setdefaulttimeout")
    ]

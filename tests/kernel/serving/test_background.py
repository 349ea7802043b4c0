"""Background actions: a slow plugin delays only its own actions, and is logged."""

import contextvars
import threading
from collections.abc import Callable, Iterator

import pytest
from structlog.testing import capture_logs

from landyard.serving import background as module
from landyard.serving.background import Background

PATIENCE = 30.0


@pytest.fixture
def background() -> Iterator[Background]:
    background = Background()
    yield background
    background.close(grace=PATIENCE)


class Held:
    """An action that runs until the test releases it."""

    def __init__(self, background: Background, plugin: str = "slow") -> None:
        self.go = threading.Event()
        self._begun = threading.Event()
        background.later(plugin, self._hold)
        assert self._begun.wait(PATIENCE)

    def _hold(self) -> None:
        self._begun.set()
        self.go.wait(PATIENCE)


def test_a_lack_of_memory_for_a_thread_is_logged_and_fails_no_call(
    background: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(threading.Thread, "start", no_thread)
        background.later("calm", lambda: None)

    assert [each["event"] for each in logs] == ["background_behind"]
    do(background, "calm")


def no_thread(_thread: object) -> None:
    raise RuntimeError("can't start new thread")


def do(background: Background, plugin: str, *actions: Callable[[], object]) -> None:
    """Run these actions of a plugin, and wait until all are done."""
    over = threading.Event()
    for action in (*actions, over.set):
        background.later(plugin, action)
    assert over.wait(PATIENCE)


def test_actions_run_in_order_and_no_plugin_waits_for_another(
    background: Background,
) -> None:
    held = Held(background)
    recorded: list[int] = []

    do(background, "quick", *(lambda n=n: recorded.append(n) for n in range(5)))

    assert recorded == [0, 1, 2, 3, 4]
    held.go.set()


def leave() -> None:
    raise SystemExit


def test_an_action_that_raises_is_logged_and_the_next_runs(background: Background) -> None:
    recorded: list[int] = []
    with capture_logs() as logs:
        do(background, "leaving", leave, lambda: recorded.append(1))

    assert recorded == [1]
    assert [log["plugin"] for log in logs if log["event"] == "action_failed"] == ["leaving"]


def test_actions_after_a_hanging_one_are_dropped_and_counted(
    background: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LATE", 0.0)
    recorded: list[int] = []
    with capture_logs() as logs:
        held = Held(background)
        for _ in range(5):
            background.later("slow", lambda: recorded.append(1))
        held.go.set()
        background.close(PATIENCE)

    assert recorded == []
    logged = [(log["event"], log.get("count")) for log in logs if log.get("plugin") == "slow"]
    assert logged == [("background_behind", None), ("actions_lost", 5)]


def test_a_full_queue_accepts_no_more(
    background: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    recorded: list[int] = []
    with capture_logs() as logs:
        held = Held(background)
        for number in range(5):
            background.later("slow", lambda n=number: recorded.append(n))  # type: ignore[misc]
        held.go.set()
        background.close(PATIENCE)

    assert recorded == [0, 1, 2]
    assert [log["count"] for log in logs if log["event"] == "actions_lost"] == [2]


def test_a_sleeping_thread_wakes_for_the_next_action(
    background: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSE", 0.001)
    for _ in range(50):
        do(background, "rare", lambda: None)


def test_closing_waits_no_longer_than_the_limit(background: Background) -> None:
    held = Held(background)

    background.close(grace=0.05)

    held.go.set()


def test_an_action_has_the_context_of_its_call(background: Background) -> None:
    """Secrets hidden in that call's log are hidden in the action's log too."""
    word = contextvars.ContextVar("word", default="")
    recorded: list[str] = []
    word.set("of the call")

    do(background, "quick", lambda: recorded.append(word.get()))

    assert recorded == ["of the call"]

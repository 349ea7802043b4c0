"""Loads each plugin in its own process, to find those that crash or hang it."""

import functools
import os
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from select import select

import msgspec
from msgspec import Struct

from landyard.logs import fit
from landyard.plugin_host.discovery import Found
from landyard.plugin_host.loading import Written, contribution, import_plugin
from landyard.serving.processes import Child, Link, Message, fork
from landyard.settings import SettingsError


def try_plugins(
    plugins: Iterable[Found], written: Written, suspect: str, seconds: float
) -> Mapping[str, str]:
    """Load each plugin by itself, side by side; say which failed, and why.

    `written` are the settings of the plugins. A worker was loading the `suspect`: this plugin has
    failed if it is not ready after `seconds`. Any other plugin may be late because the machine is
    slow, and has not failed. No thread but this one may run.
    """
    trials = {
        plugin.name: fork(functools.partial(_load, plugin, written, seconds), lambda: None)
        for plugin in plugins
    }
    late = f"its loading hangs: not ready after {seconds:g} s"
    reasons = {name: _outcome(child, late) for name, child in trials.items()}
    slow = {name for name, reason in reasons.items() if reason == late} - {suspect}
    return {name: reason for name, reason in reasons.items() if reason and name not in slow}


def _load(plugin: Found, written: Written, seconds: float, link: Link, _scoreboard: object) -> None:
    # The alarm ends the process whatever it does, also where its parent is gone.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    reason = ""
    try:
        contribution(import_plugin(plugin), written)
    except SettingsError:
        pass  # the kernel says so itself, and in better words
    except BaseException as error:  # noqa: BLE001 - it is written down
        reason = fit(str(error))
    link.send("failed", reason)


def _outcome(child: Child, late: str) -> str:
    """Wait for the end of a process; answer why the plugin cannot be loaded, or nothing."""
    _, status = os.waitpid(child.pid, 0)
    said = child.link.receive()
    child.link.close()
    if said:
        return said[0].about
    code = os.waitstatus_to_exitcode(status)
    return late if code == -signal.SIGALRM else f"its loading ended the process with status {code}"


class _Trial(Struct):
    """A child process that starts a kernel with one plugin, and what it does since when."""

    child: Child
    plugin: str
    loading: str = ""
    since: float = msgspec.field(default_factory=time.monotonic)
    may_wait: bool = True
    ended: bool = False


Start = Callable[[str, Callable[..., object]], object]
"""Starts a kernel with one plugin of these; told of each plugin that is loaded meanwhile."""


def try_starts(names: Iterable[str], start: Start, seconds: float) -> Mapping[str, str]:
    """Start a kernel with each plugin in a child process, side by side; say which end or hang it.

    An error that `start` raises is no finding: the kernel of this process meets it as well. A
    plugin may take so many seconds. No thread but this one may run.
    """
    trials = [_begin(name, start) for name in names]
    reasons: dict[str, str] = {}
    while waiting := [each for each in trials if not each.ended]:
        ready, _, _ = select([each.child.link for each in waiting], [], [], 0.1)
        for each in waiting:
            if each.child.link in ready:
                _hear(each, reasons)
            elif not each.may_wait and time.monotonic() - each.since > seconds:
                each.child.kill()
                reasons.setdefault(
                    each.loading, f"its loading hangs: not ready after {seconds:g} s"
                )
                _end(each)
    return reasons


def _begin(name: str, start: Start) -> _Trial:
    def work(link: Link, _scoreboard: object) -> None:
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):  # this process will say the same
            os.dup2(silence, stream)
        try:
            start(name, functools.partial(link.send, "loading"))
        finally:
            link.send("finished")

    return _Trial(fork(work, lambda: None), name)


def _hear(trial: _Trial, reasons: dict[str, str]) -> None:
    said = trial.child.link.receive()
    for message in said or ():
        match message:
            case Message("loading", plugin, may_wait):
                trial.loading, trial.since = plugin, time.monotonic()
                trial.may_wait = bool(may_wait) or not plugin
            case Message("finished"):
                trial.loading = ""
    if said is None:
        code = _end(trial)
        if trial.loading:
            told = f"its loading ended the process with status {code}"
            reasons.setdefault(trial.loading, told)


def _end(trial: _Trial) -> int:
    _, status = os.waitpid(trial.child.pid, 0)
    trial.child.link.close()
    trial.ended = True
    return os.waitstatus_to_exitcode(status)

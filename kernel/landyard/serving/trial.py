"""Trial loading: imports each plugin in its own process, to find those that crash or hang it."""

import functools
import os
import signal
from collections.abc import Iterable, Mapping

from landyard.logs import fit
from landyard.plugin_host.discovery import Found
from landyard.plugin_host.loading import Written, contribution, import_plugin
from landyard.serving.processes import Child, Link, fork
from landyard.settings import SettingsError


def try_plugins(
    plugins: Iterable[Found], written: Written, suspect: str, seconds: float
) -> Mapping[str, str]:
    """Load each plugin by itself, side by side; say which failed, and why.

    `written` are the settings of the plugins. Of those that are not ready after so many seconds
    only the `suspect`, which a worker was loading, has failed: the others may be slow because the
    machine is. No thread but this one may run.
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

"""Examine a plugin in a child process; a child that hangs or dies is a finding, too."""

import multiprocessing
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress

from landyard.testing import installed
from landyard_checks.examination import run
from landyard_checks.findings import Finding, Step, Verdict
from landyard_checks.source import written
from landyard_checks.taken import clashes


class UnknownPlugin(Exception):
    """No plugin of this name is installed; the text lists the installed ones."""


def examine(name: str, *, import_seconds: float = 10.0) -> Verdict:
    """Examine an installed plugin, whether it is on or not; takes some seconds.

    Its import may take `import_seconds`. Raises `UnknownPlugin`.
    """
    known = {plugin.name: plugin for plugin in reversed(installed())}
    if name not in known:
        there = ", ".join(sorted(known)) or "none"
        raise UnknownPlugin(f"no plugin '{name}' is installed; there are: {there}")
    plugin = known[name]
    if plugin.unfit:
        told = f"{plugin.unfit}; change `dependencies` in pyproject.toml, or install another"
        findings = [Finding("failure", told, "installation", written("METADATA", plugin))]
    elif taken := clashes(name):
        place = written("entry_points.txt", plugin)
        findings = [Finding("failure", taken, "installation", place)]
    else:
        # What it leaves in files goes with the folder, however it ends.
        with tempfile.TemporaryDirectory(prefix="landyard-check-") as folder:
            findings = list(_tried(name, folder, import_seconds))
    return Verdict(name, plugin.shipped_by, findings)


STARTS = multiprocessing.get_context("spawn")  # interpreters that have imported no plugin


def _tried(name: str, folder: str, import_seconds: float) -> Iterator[Finding]:
    """Run the checks in a child process; yield what it finds, and how it ended if not by itself."""
    pipe, theirs = STARTS.Pipe(duplex=False)
    child = STARTS.Process(target=run, args=(name, theirs, folder, import_seconds))
    child.start()
    theirs.close()
    step = Step("start")
    try:
        while step.check:
            if not pipe.poll(step.seconds):
                yield step.failed(f"not done after {step.seconds:g} s")
                return
            said = pipe.recv()
            if isinstance(said, Step):
                step = said
            else:
                yield said
    except EOFError:
        child.join()
        yield step.failed(f"it ended the process: {_ending(child.exitcode or 0)}")
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid or 0, signal.SIGKILL)  # with all that it has started
        child.join()
        pipe.close()


def _ending(status: int) -> str:
    return f"exit status {status}" if status >= 0 else signal.strsignal(-status) or "a signal"

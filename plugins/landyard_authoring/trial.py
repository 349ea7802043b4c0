"""The trial of a plugin: its examination in a child process, which may hang or die."""

import multiprocessing
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress

from landyard.testing import installed
from landyard_authoring.examination import run
from landyard_authoring.findings import Finding, Step, Verdict
from landyard_authoring.name_clashes import clashes
from landyard_authoring.source import metadata_place


class UnknownPlugin(Exception):
    """No plugin of this name is installed; the text lists the installed ones."""


def examine(name: str, *, import_seconds: float = 10.0) -> Verdict:
    """Examine an installed plugin, on or off; takes some seconds.

    The plugin's import may take `import_seconds`. Raises `UnknownPlugin`.
    """
    by_name = {plugin.name: plugin for plugin in reversed(installed())}
    if name not in by_name:
        names = ", ".join(sorted(by_name)) or "none"
        raise UnknownPlugin(f"no plugin '{name}' is installed; there are: {names}")
    plugin = by_name[name]
    if plugin.unfit:
        reason = f"{plugin.unfit}; change `dependencies` in pyproject.toml, or install another"
        findings = [Finding("failure", reason, "installation", metadata_place("METADATA", plugin))]
    elif clash := clashes(name):
        place = metadata_place("entry_points.txt", plugin)
        findings = [Finding("failure", clash, "installation", place)]
    else:
        # Files that the process leaves are removed with the folder, however it ends.
        with tempfile.TemporaryDirectory(prefix="landyard-check-") as folder:
            findings = list(_tried(name, folder, import_seconds))
    return Verdict(name, plugin.shipped_by, findings)


STARTS = multiprocessing.get_context("spawn")  # a fresh interpreter has imported no plugin


def _tried(name: str, folder: str, import_seconds: float) -> Iterator[Finding]:
    """Run the checks in a child process; yield findings, and one more if it hung or died."""
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
            sent = pipe.recv()
            if isinstance(sent, Step):
                step = sent
            else:
                yield sent
    except EOFError:
        child.join()
        yield step.failed(f"it ended the process: {_ending(child.exitcode or 0)}")
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid or 0, signal.SIGKILL)  # with its own child processes
        child.join()
        pipe.close()


def _ending(status: int) -> str:
    return f"exit status {status}" if status >= 0 else signal.strsignal(-status) or "a signal"

"""A trial: a plugin is examined in a process of its own, and what it does there is a finding."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from typing import Any, Self

import msgspec
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from landyard.checks.findings import Finding, Stage, Verdict, failure, warning
from landyard.discovery import HOST, Found, found

_STARTING = 60.0  # seconds until the process has imported what is ours
_DECODER = msgspec.json.Decoder(dict[str, Any])


class UnknownPlugin(Exception):
    """No plugin of this name is installed; the text names those that are."""


def examine(name: str, *, import_seconds: float = 10.0) -> Verdict:
    """Examine an installed plugin, whether it is on or not; takes some seconds.

    It has `import_seconds` to be imported. Raises `UnknownPlugin`.
    """
    installed = {plugin.name: plugin for plugin in reversed(found())}
    if name not in installed:
        there = ", ".join(sorted(installed)) or "none"
        raise UnknownPlugin(f"no plugin '{name}' is installed; there are: {there}")
    plugin = installed[name]
    findings = list(_gate(plugin))
    if plugin.unfit:
        findings.append(failure("installation", plugin.unfit))
    else:
        findings += _tried(name, import_seconds)
    return Verdict(name, plugin.shipped_by, findings)


def _gate(plugin: Found) -> Iterator[Finding]:
    """See that its distribution says which Landyard it needs."""
    if canonicalize_name(plugin.distribution) == HOST:
        return
    try:
        wanted = [Requirement(text) for text in requires(plugin.distribution) or ()]
    except (PackageNotFoundError, ValueError):
        wanted = []
    ours = [each for each in wanted if canonicalize_name(each.name) == HOST]
    if any(each.specifier for each in ours):
        yield Finding("version gate", "ok", ", ".join(str(each) for each in ours))
    else:
        advice = 'say which in pyproject.toml: dependencies = ["landyard>=0.1"]'
        yield warning("version gate", f"it takes any Landyard for one it works with; {advice}")


def _tried(name: str, import_seconds: float) -> Iterator[Finding]:
    with _Process(name, import_seconds) as process:
        yield from process.findings()


class _Process:
    """The process, the pipe it tells its findings by, and the stage it is at."""

    def __init__(self, name: str, import_seconds: float) -> None:
        self._words = [name, str(import_seconds)]
        self._stage = Stage("start", _STARTING)
        self._rest = b""

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="landyard-trial-")
        self._errors = tempfile.TemporaryFile()
        self._pipe, theirs = os.pipe()
        name, seconds = self._words
        words = [sys.executable, "-m", "landyard.checks", name, str(theirs), seconds]
        self._child = subprocess.Popen(  # noqa: S603 - our own program, and a plugin's name
            words,
            cwd=self._folder.name,
            # What it leaves in files goes with the folder, however it ends.
            env={**os.environ, "TMPDIR": self._folder.name},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            pass_fds=[theirs],
            start_new_session=True,
        )
        os.close(theirs)
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()
        os.close(self._pipe)
        self._errors.close()
        self._folder.cleanup()

    def findings(self) -> Iterator[Finding]:
        """Hand on what the process finds, and how it ended where that was not its own way."""
        until = time.monotonic() + self._stage.seconds
        while True:
            ready, _, _ = select.select([self._pipe], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                self._kill()
                yield self._stage.found(f"not done after {self._stage.seconds:g} s")
                return
            text = os.read(self._pipe, 65536)
            if not text:
                yield from self._ending()
                return
            for line in self._lines(text):
                said = _DECODER.decode(line)
                if "begins" in said:
                    self._stage = msgspec.convert(said, Stage)
                    until = time.monotonic() + self._stage.seconds
                else:
                    yield msgspec.convert(said, Finding)

    def _lines(self, text: bytes) -> list[bytes]:
        *lines, self._rest = (self._rest + text).split(b"\n")
        return lines

    def _ending(self) -> Iterator[Finding]:
        status = self._child.wait()
        if status < 0:
            yield self._stage.found(f"it ended the process: {_signal(-status)}")
        elif status > 0 or self._stage.begins:
            said = f"exit status {status}{self._last_words()}"
            yield self._stage.found(f"it ended the process: {said}")

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f" ({lines[-1].strip()})" if lines else ""

    def _kill(self) -> None:
        """End the process and what it has started, if it is there still."""
        if self._child.poll() is None:
            os.killpg(self._child.pid, signal.SIGKILL)
            self._child.wait()


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

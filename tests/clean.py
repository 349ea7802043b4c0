"""A clean environment: Landyard's wheel and the libraries it declares, and no checkout."""

import functools
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from importlib.metadata import distribution
from pathlib import Path

from msgspec import Struct
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PATIENCE = 240.0
TOOLS = ("hatchling", "httpx", "mypy", "pip", "pytest", "ruff")
# Replaces a package index: everything is installed already, the build back end as well.
OFFLINE = {
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_NO_INDEX": "1",
    "PIP_NO_CACHE_DIR": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # pip reads 0 as "no isolation"
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_ROOT_USER_ACTION": "ignore",
}


class Environment(Struct, frozen=True):
    """A virtual environment, and the folder that commands run in."""

    folder: Path
    work: Path

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    def variables(self, **more: str) -> dict[str, str]:
        """The environment of a process: this one's programs come first, and no settings are
        inherited.
        """
        kept = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith(("LANDYARD_", "PYTHON", "PIP_", "COV_", "VIRTUAL_ENV"))
        }
        path = f"{self.bin}{os.pathsep}{kept.get('PATH', '')}"
        return {**kept, **OFFLINE, "PATH": path, **more}

    def run(self, *words: str, cwd: Path | None = None, **more: str) -> str:
        """Run a program of this environment; return its output, and fail where it fails."""
        done = self.attempt(*words, cwd=cwd, **more)
        assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
        return done.stdout

    def attempt(
        self, *words: str, cwd: Path | None = None, **more: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run a program of this environment to its end."""
        return subprocess.run(
            [str(self.bin / words[0]), *words[1:]],
            cwd=cwd or self.work,
            env=self.variables(**more),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def install(self, wheel: Path) -> None:
        self.run("python", "-m", "pip", "install", "--quiet", "--no-deps", str(wheel))


def make_environment(folder: Path) -> Environment:
    """Make an environment with Landyard's wheel in it, in `folder`."""
    made = Environment(folder / "venv", folder / "work")
    made.work.mkdir(parents=True)
    make = [sys.executable, "-m", "venv", "--without-pip", str(made.folder)]
    subprocess.run(make, check=True, timeout=PATIENCE)
    site = next(made.folder.glob("lib/python*/site-packages"))
    (site / "libraries.pth").write_text(f"{_libraries()}\n")
    for tool in ("mypy", "pip", "pytest"):
        script = made.bin / tool
        script.write_text(f'#!/bin/sh\nexec "{made.bin / "python"}" -m {tool} "$@"\n')
        script.chmod(0o755)
    (made.bin / "ruff").symlink_to(Path(sys.executable).with_name("ruff"))
    made.install(landyard_wheel())
    return made


def build_wheel(project: Path) -> Path:
    """Build the wheel of a project, away from its folder."""
    target = Path(tempfile.mkdtemp(prefix="wheel-", dir=_scratch()))
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    subprocess.run(build, cwd=project, check=True, capture_output=True, timeout=PATIENCE)
    return next(target.glob("*.whl"))


@functools.cache
def landyard_wheel() -> Path:
    """Build Landyard's own wheel, once."""
    return build_wheel(ROOT)


@functools.cache
def _scratch() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="landyard-clean-")
    _kept.append(folder)
    return Path(folder.name)


_kept: list["tempfile.TemporaryDirectory[str]"] = []  # kept until the tests are over


@functools.cache
def _libraries() -> Path:
    """Link the libraries that Landyard declares, and the tools of a plugin's author, into one
    folder.
    """
    folder = Path(tempfile.mkdtemp(prefix="libraries-", dir=_scratch()))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *TOOLS]
    for name in _closure(Requirement(text) for text in needed):
        found = distribution(name)
        for top in {file.parts[0] for file in found.files or () if ".." not in file.parts}:
            source = Path(str(found.locate_file(top)))
            if source.suffix != ".pth" and source.name != "__pycache__" and source.exists():
                _link(source, folder / top)
    return folder


def _link(source: Path, target: Path) -> None:
    # Several distributions may share a namespace package, and so the same folder.
    if not target.exists():
        target.symlink_to(source)


def _closure(wanted: Iterable[Requirement]) -> set[str]:
    """Name every required distribution, with all their requirements."""
    known: dict[str, set[str]] = {}
    waiting = [each for each in wanted if _applies(each, set())]
    while waiting:
        requirement = waiting.pop()
        name, extras = canonicalize_name(requirement.name), set(requirement.extras)
        if name in known and extras <= known[name]:
            continue
        known[name] = known.get(name, set()) | extras
        needs = distribution(name).requires or ()
        waiting += [each for each in map(Requirement, needs) if _applies(each, known[name])]
    return set(known)


def _applies(requirement: Requirement, extras: set[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate(_of(extra)) for extra in (extras or {""}))


def _of(extra: str) -> Mapping[str, str]:
    return {"extra": extra}


def copied(project: Path, target: Path) -> Path:
    """Copy a project without the files that tools have left in it."""
    left = shutil.ignore_patterns("__pycache__", ".*_cache", "dist", "build", "*.egg-info")
    return Path(shutil.copytree(project, target, ignore=left))

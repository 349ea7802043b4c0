"""Checks of names: what the kernel has, or another installed plugin brings, is taken."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from landyard import PluginError, Settings
from landyard_checks.findings import Finding, failure, warning
from landyard_checks.subject import Subject
from landyard_checks.testing import Contribution, Found, brought, installed

WORDS = {"serve", "plugins", "db", "settings"}
SHARED = {"db", "plugins"}  # a plugin's group of this name adds to the kernel's
ADDRESSES = ("/rest", "/healthz", "/readyz")
SECTIONS = frozenset({"kernel", "landyard", "plugins"})

Claim = tuple[str, str]


def names(subject: Subject) -> Iterator[Finding]:
    """Compare with the kernel's names, and with what every other installed plugin brings."""
    ours = list(_claims(subject.brought))
    for claim in ours:
        if wrong := _of_kernel(*claim):
            yield failure(wrong, subject.source.of_text(claim[1]))
    handlers = {
        ("method", each.name): subject.source.of_function(each.handler) for each in subject.methods
    }
    for other in subject.every:
        if other.name == subject.found.name:
            continue
        subject.doing(f"import of '{other.name}'", 60.0)
        theirs = _brought(other, subject.others)
        for kind, name in ours:
            if (kind, name) in theirs:
                yield failure(
                    f"{kind} {name} is brought by plugin '{other.name}': choose another name,"
                    f" such as one that begins with '{subject.found.name}'",
                    handlers.get((kind, name)) or subject.source.of_text(name),
                )


def clashes(name: str) -> str:
    """Say which plugin has the name as well; nothing where none has."""
    there = [each for each in installed() if each.name == name]
    return there[1].unfit if len(there) > 1 else ""


def _brought(found: Found, loaded: Sequence[Contribution]) -> set[Claim]:
    """Say what another plugin brings; nothing of one that cannot be loaded."""
    known = [each for each in loaded if each.plugin.name == found.name]
    try:
        return set(_claims(known[0] if known else brought(found)))
    except PluginError:
        return set()


def _claims(brought: Contribution) -> Iterator[Claim]:
    yield from (("method", each.name) for each in brought.methods)
    yield from (("settings section", name) for name in brought.sections)
    yield from (("job", each.name) for each in brought.jobs)
    if brought.tables is not None:
        yield "branch of tables", brought.tables.branch
    for word in _asked(brought, "register_commands"):
        if (name := str(getattr(word, "name", ""))) not in SHARED:
            yield "command", name
        else:
            yield from (("command", f"{name} {each}") for each in getattr(word, "commands", ()))


def routes(subject: Subject, every: Sequence[Any]) -> Iterator[Finding]:
    """Find pages at addresses that are the service's own."""
    own = f"/-/{subject.found.name}"
    for route in every:
        place = subject.source.of_function(getattr(route, "fn", route))
        for path in getattr(route, "paths", ()):
            if any(f"{path}/".startswith(f"{each}/") for each in ADDRESSES):
                told = "is the kernel's: put the page elsewhere"
                yield failure(f"the address {path} {told}, such as {own}", place)
            elif path.startswith("/-/") and path != own and not path.startswith(f"{own}/"):
                if subject.found.distribution == "landyard":
                    continue
                told = "is kept for a plugin of that name: put the page below"
                yield warning(f"the address {path} {told} {own}", place)


def _of_kernel(kind: str, name: str) -> str:
    settings = {field.name for field in msgspec.structs.fields(Settings)}
    if kind == "command" and name in WORDS:
        return f"command {name} is the kernel's, and is never reached: choose another word"
    if kind == "settings section" and name in SECTIONS | settings:
        return f"settings section {name} is the kernel's: answer register_settings with another"
    return ""


def _asked(brought: Contribution, hook: str) -> Sequence[Any]:
    """Ask a plugin that does not need a kernel for it; one that fails has nothing to compare."""
    try:
        answers = getattr(brought.asked.hook, hook)()
    except Exception:  # noqa: BLE001 - another check tells it
        return ()
    return list(answers[0]) if answers else ()

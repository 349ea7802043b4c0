"""Checks of name clashes with the kernel and with other installed plugins."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from landyard import Settings
from landyard.testing import installed
from landyard_authoring.findings import Finding, failure, warning
from landyard_authoring.neighbours import claims, claims_of_others
from landyard_authoring.subject import Subject

WORDS = {"serve", "plugins", "db", "settings"}
ADDRESSES = ("/rest", "/healthz", "/readyz")
_OTHERWISE = {
    "model": "derive the models from a base of your own, class Base(SQLModel,"
    " registry=registry(metadata=SQLModel.metadata))",
    "page": "put it below /-/{}",
}
_ADVICE = {
    "scope": "who has it for one has it for both",
    "world file key": "a world file has one value for both",
}
SECTIONS = frozenset({"kernel", "landyard", "plugins"})


def names(subject: Subject) -> Iterator[Finding]:
    """Find names of the plugin that the kernel or another installed plugin has, too."""
    with subject.service() as service:
        host = service.kernel
        mine = [it for it in service.contributions if it.plugin is subject.contribution.plugin]
        ours = list(dict.fromkeys(it for each in mine for it in claims(subject.found, each, host)))
    for kind, name in ours:
        if wrong := _of_kernel(kind, name):
            yield failure(wrong, subject.source.of_text(name))
    handlers = {
        ("method", each.name.lower()): subject.source.of_function(each.handler)
        for each in subject.methods
    }
    subject.doing("import of the other plugins", 60.0)
    theirs = claims_of_others(subject.found.name, [each.plugin.name for each in subject.others])
    for kind, name in ours:
        owner = theirs.get((kind, name))
        if owner is None:
            continue
        reason = f"{kind} {name} is brought by plugin '{owner}'"
        place = handlers.get((kind, name)) or subject.source.of_text(name.rpartition(" ")[2])
        if kind in _ADVICE:
            yield warning(f"{reason}, too: {_ADVICE[kind]}", place)
            continue
        other = _OTHERWISE.get(kind, "choose another name, such as one that begins with '{}'")
        yield failure(f"{reason}: {other.format(subject.found.name)}", place)


def clashes(name: str) -> str:
    """Return the error of two installed plugins with this name; "" if there is only one."""
    there = [each for each in installed() if each.name == name]
    return there[1].unfit if len(there) > 1 else ""


def routes(subject: Subject, every: Sequence[Any]) -> Iterator[Finding]:
    """Find pages at addresses that belong to the service or to other plugins."""
    own_prefix = f"/-/{subject.found.name}"
    for route in every:
        place = subject.source.of_function(getattr(route, "fn", route))
        for path in getattr(route, "paths", ()):
            if any(f"{path}/".startswith(f"{each}/") for each in ADDRESSES):
                advice = "is the kernel's: put the page elsewhere"
                yield failure(f"the address {path} {advice}, such as {own_prefix}", place)
            elif (
                path.startswith("/-/")
                and path != own_prefix
                and not path.startswith(f"{own_prefix}/")
            ):
                if subject.found.distribution == "landyard":
                    continue
                advice = "is kept for a plugin of that name: put the page below"
                yield warning(f"the address {path} {advice} {own_prefix}", place)


def _of_kernel(kind: str, name: str) -> str:
    settings = {field.name for field in msgspec.structs.fields(Settings)}
    if kind == "command" and name in WORDS:
        return f"command {name} is the kernel's, and is never reached: choose another word"
    if kind == "settings section" and name in SECTIONS | settings:
        return f"settings section {name} is the kernel's: answer register_settings with another"
    return ""

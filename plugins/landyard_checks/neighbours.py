"""The names that other installed plugins claim; each is loaded in a process of its own.

Another plugin may hang, end its process, or declare a table of the examined plugin.
"""

import multiprocessing
import os
import tempfile
from collections.abc import Collection, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import Any

from landyard import Host, Settings
from landyard.testing import (
    Contribution,
    Found,
    declared_names,
    installed,
    installed_service,
)

SECONDS = 20.0  # for all of them, loaded in parallel
STARTS = multiprocessing.get_context("spawn")
HOST = "landyard"
_SHARED = {"db", "plugins"}  # a plugin's group with this name extends the kernel's

Claim = tuple[str, str]
"""A kind of name, such as `method` or `table`, and the name."""


def claims_of_others(name: str, needed: Collection[str]) -> dict[Claim, str]:
    """Return the names that other installed plugins claim, with the plugin's name for each.

    A plugin that cannot be loaded in time claims nothing. Scopes of the plugins in `needed` are
    left out, because they may be shared.
    """
    strangers = [each.name for each in installed() if each.distribution != HOST]
    found: dict[Claim, str] = {}
    with tempfile.TemporaryDirectory(prefix="landyard-names-") as folder:
        processes = [_begin(each, f"{folder}/{each}") for each in {*strangers} - {name}]
        _add_shipped(found, name, Path(folder))
        until = monotonic() + SECONDS
        waiting = {pipe for _, pipe in processes}
        while waiting and (left := until - monotonic()) > 0:
            for pipe in wait([*waiting], left):
                assert isinstance(pipe, Connection)
                waiting.remove(pipe)
                for claim, owner in _received(pipe):
                    if claim[0] != "scope" or owner not in needed:
                        found.setdefault(claim, owner)
        for child, pipe in processes:
            child.kill()
            child.join()
            pipe.close()
    return found


def claims(
    found: Found, contribution: Contribution, host: Host | None = None
) -> Iterator[Claim]:
    """Yield the names that a plugin claims; with a `kernel` its pages, too."""
    yield from (("method", name.lower()) for each in contribution.methods for name in each.named)
    yield from (("settings section", name) for name in contribution.sections)
    yield from (("job", each.name) for each in contribution.jobs)
    yield from (("event", topic) for topic in contribution.events)
    yield from (("subscriber", each.name) for each in contribution.subscribers if each.name)
    yield from ((_words(type(each)), each.key) for each in contribution.records)
    yield from (("table", name) for name in sorted(tables_of(found)))
    yield from (("model", name) for name in shared_classes(found))
    for scope in (
        {each.scope for each in contribution.methods} if found.distribution != HOST else ()
    ):
        yield "scope", scope
    for each in contribution.lists:
        names = [name for name in each.item.__struct_encode_fields__ if name != "id"]
        yield from (("world file key", f"{each.name}[].{name}") for name in names)
    if contribution.tables is not None:
        yield "branch of tables", contribution.tables.branch
    for word in _answers(contribution, "register_commands"):
        if (name := str(getattr(word, "name", ""))) not in _SHARED:
            yield "command", name
        else:
            yield from (("command", f"{name} {each}") for each in getattr(word, "commands", ()))
    for route in _answers(contribution, "register_routes", host=kernel) if kernel else ():
        verbs = sorted(map(str, getattr(route, "http_methods", ())))
        for path in getattr(route, "paths", ()):
            yield from (("page", f"{verb} {path}") for verb in verbs)


def _begin(name: str, folder: str) -> tuple[Any, Connection]:
    pipe, theirs = STARTS.Pipe(duplex=False)
    child = STARTS.Process(target=_send_claims, args=(name, folder, theirs), daemon=True)
    child.start()
    theirs.close()
    return child, pipe


def _received(pipe: Connection) -> list[tuple[Claim, str]]:
    try:
        claims_sent: list[tuple[Claim, str]] = pipe.recv()
    except EOFError:  # the process has ended early
        return []
    return claims_sent


def _send_claims(name: str, folder: str, pipe: Connection) -> None:
    """Send the names that a third-party plugin claims, loaded with the plugins it requires."""
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):  # its output must not mix with the verdict
        os.dup2(silence, stream)
    every = {each.name: each for each in reversed(installed())}
    needed, new = set[str](), {name}
    while new:
        needed |= new
        new = {each for it in new & every.keys() for each in every[it].requires} - needed
    left_out = {it for it in every if every[it].distribution != HOST and it not in needed}
    on = {"plugins": {"on": [*needed]}}
    settings = Settings(data=Path(folder), plugins=on)
    reasons = dict.fromkeys(left_out, "it is asked by itself")
    with installed_service(settings, left_out=reasons) as (host, contributions):
        mine = [each for each in contributions if each.plugin.name == name]
        pipe.send([(claim, name) for each in mine for claim in claims(every[name], each, host)])
        pipe.close()


def _add_shipped(found: dict[Claim, str], name: str, folder: Path) -> None:
    """Add the names of Landyard's own plugins to `found`, also of those that are off."""
    ours = {each.name: each for each in installed() if each.distribution == HOST}
    settings = Settings(data=folder, plugins={"plugins": {"on": [*ours]}})
    with installed_service(settings, others=False) as (host, contributions):
        others = [it for it in contributions if it.plugin.name != name]
        for each in others:
            for claim in claims(ours[each.plugin.name], each, host):
                found.setdefault(claim, each.plugin.name)


def _answers(contribution: Contribution, hook: str, **arguments: Any) -> Sequence[Any]:
    """Return a plugin's answers to a hook; none if the hook fails."""
    try:
        answers = getattr(contribution.asked.hook, hook)(**arguments)
    except Exception:  # noqa: BLE001 - another check reports it
        return ()
    return list(answers[0]) if answers else ()


def _words(kind: type) -> str:
    """Return a type's name in words: `block type` for `BlockType`."""
    name = kind.__name__
    return "".join(f" {each.lower()}" if each.isupper() else each for each in name).strip()

"""Collects the names that other installed plugins use, by a process for each plugin.

A neighbour may hang, end its process, or have a table of the plugin that is examined.
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

SECONDS = 20.0  # that all of them may take, side by side
STARTS = multiprocessing.get_context("spawn")
HOST = "landyard"
_SHARED = {"db", "plugins"}  # a plugin's group of this name adds to the kernel's

Claim = tuple[str, str]
"""A kind of name, such as `method` or `table`, and the name."""


def claims_of_others(name: str, needed: Collection[str]) -> dict[Claim, str]:
    """Ask each other installed plugin for its names; answer the plugin that has each.

    One that cannot be loaded, or is not done in time, has none. The scopes of those that are
    `needed` may be shared.
    """
    strangers = [each.name for each in installed() if each.distribution != HOST]
    found: dict[Claim, str] = {}
    with tempfile.TemporaryDirectory(prefix="landyard-names-") as folder:
        asked = [_begin(each, f"{folder}/{each}") for each in {*strangers} - {name}]
        _tell_ours(found, name, Path(folder))
        until = monotonic() + SECONDS
        waiting = {pipe for _, pipe in asked}
        while waiting and (left := until - monotonic()) > 0:
            for pipe in wait([*waiting], left):
                assert isinstance(pipe, Connection)
                waiting.remove(pipe)
                for claim, owner in _received(pipe):
                    if claim[0] != "scope" or owner not in needed:
                        found.setdefault(claim, owner)
        for child, pipe in asked:
            child.kill()
            child.join()
            pipe.close()
    return found


def claims(found: Found, brought: Contribution, host: Host | None = None) -> Iterator[Claim]:
    """Name what a plugin brings; with a `host` its pages, too."""
    yield from (("method", name.lower()) for each in brought.methods for name in each.named)
    yield from (("settings section", name) for name in brought.sections)
    yield from (("job", each.name) for each in brought.jobs)
    yield from (("event", topic) for topic in brought.events)
    yield from (("subscriber", each.name) for each in brought.subscribers if each.name)
    yield from ((_words(type(each)), each.key) for each in brought.records)
    yield from declared_names(found)
    for scope in {each.scope for each in brought.methods} if found.distribution != HOST else ():
        yield "scope", scope
    for each in brought.lists:
        names = [name for name in each.item.__struct_encode_fields__ if name != "id"]
        yield from (("world file key", f"{each.name}[].{name}") for name in names)
    if brought.tables is not None:
        yield "branch of tables", brought.tables.branch
    for word in _asked(brought, "register_commands"):
        if (name := str(getattr(word, "name", ""))) not in _SHARED:
            yield "command", name
        else:
            yield from (("command", f"{name} {each}") for each in getattr(word, "commands", ()))
    for route in _asked(brought, "register_routes", host=host) if host else ():
        verbs = sorted(map(str, getattr(route, "http_methods", ())))
        for path in getattr(route, "paths", ()):
            yield from (("page", f"{verb} {path}") for verb in verbs)


def _begin(name: str, folder: str) -> tuple[Any, Connection]:
    pipe, theirs = STARTS.Pipe(duplex=False)
    child = STARTS.Process(target=_tell, args=(name, folder, theirs), daemon=True)
    child.start()
    theirs.close()
    return child, pipe


def _received(pipe: Connection) -> list[tuple[Claim, str]]:
    try:
        told: list[tuple[Claim, str]] = pipe.recv()
    except EOFError:  # it has ended before it was done
        return []
    return told


def _tell(name: str, folder: str, pipe: Connection) -> None:
    """Send the names of a stranger's plugin, which is loaded with those that it requires."""
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):  # the verdict on this plugin is another's
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


def _tell_ours(found: dict[Claim, str], name: str, folder: Path) -> None:
    """Find the names of the plugins that came with Landyard, also of those that are off."""
    ours = {each.name: each for each in installed() if each.distribution == HOST}
    settings = Settings(data=folder, plugins={"plugins": {"on": [*ours]}})
    with installed_service(settings, others=False) as (host, contributions):
        others = [it for it in contributions if it.plugin.name != name]
        for each in others:
            for claim in claims(ours[each.plugin.name], each, host):
                found.setdefault(claim, each.plugin.name)


def _asked(brought: Contribution, hook: str, **given: Any) -> Sequence[Any]:
    """Ask a plugin for something; one that fails has nothing to compare."""
    try:
        answers = getattr(brought.asked.hook, hook)(**given)
    except Exception:  # noqa: BLE001 - another check tells it
        return ()
    return list(answers[0]) if answers else ()


def _words(kind: type) -> str:
    """Write a type's name as words: `block type` for `BlockType`."""
    name = kind.__name__
    return "".join(f" {each.lower()}" if each.isupper() else each for each in name).strip()

"""Off means gone: for every plugin installed, and for one that brings everything there is.

Switched off, nothing of it is left for a new call; after a restart it is not even imported;
switched on, all is there again.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from faulty.kit import Fault, install
from kernel.processes import landyard, run_code
from kernel.switching import turn as switch
from msgspec import Struct

from landyard.plugin_host.discovery import found
from landyard.plugin_host.resolution import Resolution
from landyard.testing import Service
from landyard_describe.explorer import assets

COMPLETE = Fault(
    "complete",
    """
from datetime import timedelta
from pathlib import Path

from msgspec import Struct

from landyard import Call, Job, Join, MethodGroup, Tables, hookimpl

group = MethodGroup(scope="complete")
here = Path(__file__).parent


class Nothing(Struct, frozen=True):
    pass


class Settings(Struct, frozen=True):
    height: int = 1


@group.method("complete.say", aliases=["complete.tell"])
def say(call: Call, params: Nothing) -> bool:
    \"\"\"Say yes.\"\"\"
    return True


@hookimpl
def register_methods():
    return group


@hookimpl
def register_settings():
    return Settings


@hookimpl
def register_jobs():
    return [Job("complete.job", timedelta(hours=1), print)]


@hookimpl
def register_routes(host):
    from litestar import get

    @get("/complete/page")
    def page() -> str:
        return "here"

    return [page]


@hookimpl
def register_joins():
    return [Join("*", after=lambda: None)]


@hookimpl
def authenticate(credential):
    return None


@hookimpl
def guard_authentication(address):
    return None


@hookimpl
def before_call():
    pass


@hookimpl
def before_commit():
    pass


@hookimpl
def map_error(error):
    return None


@hookimpl
def call_finished(request):
    here.joinpath("observed").touch()
""",
    "",
    "enabled",
)
INSTALLED = sorted(plugin.name for plugin in found() if not plugin.unfit)
EXAMPLES = {"uploads", COMPLETE.plugin}  # the others are imported, or not, in the same way
DESCRIBED = {*EXAMPLES, "sites"}  # documents take their time, and are made of the methods' table
# Below `/-` another plugin's pages decide what is said.
NOWHERE = ("/there-is-nothing-of-this-name-here", "/-/there-is-nothing-of-this-name-here")
NOTHING = frozenset[tuple[int, str]]()  # not known yet


class Trace(Struct, frozen=True):
    """What can be seen of a plugin from outside and inside."""

    methods: frozenset[str] = frozenset()
    listed: frozenset[str] = frozenset()
    openapi: frozenset[str] = frozenset()
    openrpc: frozenset[str] = frozenset()
    routes: frozenset[str] = frozenset()
    jobs: frozenset[str] = frozenset()
    hooks: frozenset[str] = frozenset()
    joins: frozenset[str] = frozenset()
    sections: frozenset[str] = frozenset()
    lists: int = 0


@pytest.fixture(params=[*INSTALLED, COMPLETE.plugin])
def name(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """A plugin's name; what is not installed anyway is, for as long as the test takes."""
    if request.param == COMPLETE.plugin:
        install(tmp_path, COMPLETE)
        monkeypatch.syspath_prepend(tmp_path)
    yield request.param
    sys.modules.pop(COMPLETE.module, None)


@pytest.fixture(scope="module")
def shared() -> Iterator[Service]:
    """A service of what is installed anyway; each test leaves it switched as it was."""
    with Service() as service:
        yield service


@pytest.fixture
def service(name: str, request: pytest.FixtureRequest) -> Iterator[Service]:
    if name == COMPLETE.plugin:  # found by a service that starts after it was installed
        with Service() as own:
            turn(own, name, is_on=True)
            yield own
        return
    service: Service = request.getfixturevalue("shared")
    needs = next((each.requires for each in found() if each.name == name), ())
    before = running(service)
    for each in (*needs, name):  # what is contributed starts switched off
        if each not in before:
            turn(service, each, is_on=True)
    yield service
    for each in (name, *needs):
        turn(service, each, is_on=each in before)


def running(service: Service) -> set[str]:
    return {each.plugin.name for each in service.kernel.resolution.contributions}


def turn(service: Service, name: str, *, is_on: bool) -> None:
    """Switch a plugin as the command line does; a server then looks."""
    switch(service.kernel, name, is_on=is_on)
    service.kernel.lifecycle.refresh()


def paths(service: Service, name: str) -> set[str]:
    """The addresses of a plugin's pages, with something for each parameter.

    A file of the explorer is one that there is: of any other it says what is said of nothing.
    """
    a_file = next(path for path in assets() if path)
    plugin = next(
        each for each in service.kernel.resolution.contributions if each.plugin.name == name
    )
    found = {
        path.replace("/{file:path}", a_file)
        if "{file:path}" in path
        else "/".join("x" if part.startswith("{") else part for part in path.split("/"))
        for handler in service.kernel.routes(plugin)
        for path in getattr(handler, "paths", ())
    }
    # Of a draft without its key the same is said as of nothing.
    return found - {"/-/draft/x"}


def trace(
    service: Service,
    name: str,
    methods: set[str],
    pages: set[str],
    nothing: frozenset[tuple[int, str]],
) -> Trace:
    """What is there of a plugin, that has these methods and pages when it is on.

    `nothing` is what is answered where nobody has a page, while it is off.
    """
    resolution = service.kernel.resolution
    listed = service.result("methods") if service.kernel.methods.find("methods") else []
    known = frozenset(each for each in methods if service.kernel.methods.find(each))
    openapi, openrpc = described(service) if name in DESCRIBED else (known, known)
    return Trace(
        methods=known,
        listed=frozenset(methods.intersection(listed)),
        openapi=openapi & methods,
        openrpc=openrpc & methods,
        routes=frozenset(page for page in pages if told(service, page) not in nothing),
        jobs=frozenset(job for job, (owner, _) in resolution.jobs.items() if owner == name),
        hooks=frozenset(
            hook.name
            for hooks in resolution.registry.hooks.values()
            for hook in hooks
            if hook.plugin == name
        ),
        joins=frozenset(
            method.name
            for method in service.kernel.methods
            for hook in method.after
            if hook.plugin == name
        ),
        sections=frozenset(owned(resolution, name)),
        lists=sum(len(each.lists) for each in resolution.contributions if each.plugin.name == name),
    )


def described(service: Service) -> tuple[frozenset[str], frozenset[str]]:
    """The methods that each of the two documents has."""
    paths = service.get("/openapi.json").json()["paths"]
    methods = service.get("/openrpc.json").json()["methods"]
    named = (path.removeprefix("/").removesuffix(".json") for path in paths)
    return frozenset(named), frozenset(each["name"] for each in methods)


def told(service: Service, page: str) -> tuple[int, str]:
    """What is answered there, wherever that is."""
    answer = service.get(page, accept="application/json")  # a page names the request
    return answer.status_code, answer.text.replace(page.strip("/"), "")


def owned(resolution: Resolution, name: str) -> set[str]:
    return {
        section
        for each in resolution.contributions
        if each.plugin.name == name
        for section in each.sections
        if section in resolution.sections
    }


def brought(service: Service, name: str) -> set[str]:
    found = (method for method in service.kernel.methods if method.plugin == name)
    return {each for method in found for each in method.named}


def test_off_is_gone_and_on_is_back(service: Service, name: str) -> None:
    methods, pages = brought(service, name), paths(service, name)
    there = trace(service, name, methods, pages, NOTHING)
    turn(service, name, is_on=False)
    nothing = frozenset(told(service, page) for page in NOWHERE)
    gone = trace(service, name, methods, pages, nothing)
    turn(service, name, is_on=True)
    back = trace(service, name, methods, pages, nothing)

    assert gone == Trace()
    assert back == there
    assert there.methods == there.openapi == there.openrpc == methods
    assert there.routes == pages


def test_the_others_stay(service: Service, name: str) -> None:
    plugins = [each.plugin for each in service.kernel.resolution.contributions]
    others = {each.name: set(each.requires) for each in plugins}
    for needs in others.values():  # also what those need that it needs; none is deeper
        needs |= {deeper for each in needs for deeper in others[each]}

    turn(service, name, is_on=False)

    assert running(service) == {
        other for other, needs in others.items() if other != name and name not in needs
    }


LOOKING = """
import sys

from landyard import Kernel, load_settings
from landyard.web.edge import Edge

Edge(Kernel(load_settings()))
print(*sys.modules)
"""


def modules(folder: Path, **more: str) -> set[str]:
    """What a service has imported once it has started."""
    run = run_code(LOOKING, folder, **more)
    assert run.status == 0, run.err
    return set(run.out.split())


def module_of(name: str) -> str:
    """The package or module that a plugin is."""
    return next(plugin.value for plugin in found() if plugin.name == name).partition(".")[0]


def test_what_is_on_is_imported(tmp_path: Path) -> None:
    on = {plugin.name for plugin in found() if not (plugin.unfit or plugin.contrib)}

    assert {module_of(name) for name in on} <= modules(tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=[] if each in EXAMPLES else [pytest.mark.soak])
        for each in [*INSTALLED, COMPLETE.plugin]
    ],
    indirect=True,
)
def test_after_a_restart_it_is_not_imported(tmp_path: Path, name: str) -> None:
    own = module_of(name)
    installed = {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    switched = landyard(tmp_path, "plugins", "disable", name, given=b"", **installed)
    assert switched.status == 0, switched.err

    there = modules(tmp_path, **installed)

    assert "landyard" in there
    assert [each for each in there if each == own or each.startswith(f"{own}.")] == []

"""A plugin that is switched off leaves no trace: tested for each installed one and for a complete
one.

A switched-off plugin has no method, page or job for new calls. After a restart it is not even
imported. Switched on again, all of it is back.
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

from landyard import Call, Job, MethodGroup, Tables, hookimpl

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
EXAMPLES = {"pictures", COMPLETE.plugin}  # the others are imported, or not, in the same way
DESCRIBED = {*EXAMPLES, "sites"}  # documents take their time, and are made of the methods' table
# Below `/-` another plugin's pages decide what is said.
NOWHERE = ("/there-is-nothing-of-this-name-here", "/-/there-is-nothing-of-this-name-here")
NOTHING = frozenset[tuple[int, str]]()  # no answers of missing pages are recorded yet


class Trace(Struct, frozen=True):
    """Everything that a service shows of a plugin, outside and inside."""

    methods: frozenset[str] = frozenset()
    listed: frozenset[str] = frozenset()
    openapi: frozenset[str] = frozenset()
    openrpc: frozenset[str] = frozenset()
    routes: frozenset[str] = frozenset()
    jobs: frozenset[str] = frozenset()
    hooks: frozenset[str] = frozenset()
    sections: frozenset[str] = frozenset()
    lists: int = 0


@pytest.fixture(params=[*INSTALLED, COMPLETE.plugin])
def name(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """A plugin's name. The complete plugin is installed for the length of the test."""
    if request.param == COMPLETE.plugin:
        install(tmp_path, COMPLETE)
        monkeypatch.syspath_prepend(tmp_path)
    yield request.param
    sys.modules.pop(COMPLETE.module, None)


@pytest.fixture(scope="module")
def shared() -> Iterator[Service]:
    """A service of the installed plugins; each test leaves them switched as it found them."""
    with Service() as service:
        yield service


@pytest.fixture
def service(name: str, request: pytest.FixtureRequest) -> Iterator[Service]:
    if name == COMPLETE.plugin:  # only a service that starts after the installation finds it
        with Service() as own:
            turn(own, name, is_on=True)
            yield own
        return
    service: Service = request.getfixturevalue("shared")
    needs = next((each.requires for each in found() if each.name == name), ())
    before = running(service)
    for each in (*needs, name):  # plugins of contrib start switched off
        if each not in before:
            turn(service, each, is_on=True)
    yield service
    for each in (name, *needs):
        turn(service, each, is_on=each in before)


def running(service: Service) -> set[str]:
    return {each.plugin.name for each in service.kernel.resolution.contributions}


def turn(service: Service, name: str, *, is_on: bool) -> None:
    """Switch a plugin as the command line does, and have the server notice."""
    switch(service.kernel, name, is_on=is_on)
    service.kernel.lifecycle.refresh()


def paths(service: Service, name: str) -> set[str]:
    """The addresses of a plugin's pages, with a value for each parameter.

    For the explorer's files the value is an existing file: a missing file is answered like a
    missing page.
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
    # A draft without its key is answered like a missing page.
    return found - {"/-/draft/x"}


def trace(
    service: Service,
    name: str,
    methods: set[str],
    pages: set[str],
    nothing: frozenset[tuple[int, str]],
) -> Trace:
    """The visible parts of a plugin that has these methods and pages when it is on.

    `nothing` holds the answers to an address without a page.
    """
    resolution = service.kernel.resolution
    listed = service.result("methods") if service.kernel.methods.find("methods") else []
    on = frozenset(each for each in methods if service.kernel.methods.find(each))
    openapi, openrpc = described(service) if name in DESCRIBED else (on, on)
    return Trace(
        methods=on,
        listed=frozenset(methods.intersection(listed)),
        openapi=openapi & methods,
        openrpc=openrpc & methods,
        routes=frozenset(page for page in pages if answer_at(service, page) not in nothing),
        jobs=frozenset(job for job, (owner, _) in resolution.jobs.items() if owner == name),
        hooks=frozenset(
            hook.name
            for hooks in resolution.registry.hooks.values()
            for hook in hooks
            if hook.plugin == name
        ),
        sections=frozenset(owned(resolution, name)),
        lists=sum(len(each.lists) for each in resolution.contributions if each.plugin.name == name),
    )


def described(service: Service) -> tuple[frozenset[str], frozenset[str]]:
    """The methods listed in each of the two documents."""
    paths = service.get("/openapi.json").json()["paths"]
    methods = service.get("/openrpc.json").json()["methods"]
    named = (path.removeprefix("/").removesuffix(".json") for path in paths)
    return frozenset(named), frozenset(each["name"] for each in methods)


def answer_at(service: Service, page: str) -> tuple[int, str]:
    """The status and the text answered at an address, without that address."""
    # the text of a missing page repeats the address
    answer = service.get(page, accept="application/json")
    return answer.status_code, answer.text.replace(page.strip("/"), "")


def owned(resolution: Resolution, name: str) -> set[str]:
    return {
        section
        for each in resolution.contributions
        if each.plugin.name == name
        for section in each.sections
        if section in resolution.sections
    }


def methods_of(service: Service, name: str) -> set[str]:
    found = (method for method in service.kernel.methods if method.plugin == name)
    return {each for method in found for each in method.named}


def test_a_switched_off_plugin_is_gone_and_switched_on_it_is_back(
    service: Service, name: str
) -> None:
    methods, pages = methods_of(service, name), paths(service, name)
    there = trace(service, name, methods, pages, NOTHING)
    turn(service, name, is_on=False)
    nothing = frozenset(answer_at(service, page) for page in NOWHERE)
    gone = trace(service, name, methods, pages, nothing)
    turn(service, name, is_on=True)
    back = trace(service, name, methods, pages, nothing)

    assert gone == Trace()
    assert back == there
    assert there.methods == there.openapi == there.openrpc == methods
    assert there.routes == pages


def test_switching_a_plugin_off_leaves_the_others_on(service: Service, name: str) -> None:
    plugins = [each.plugin for each in service.kernel.resolution.contributions]
    others = {each.name: set(each.requires) for each in plugins}
    # also the plugins that its required plugins require; chains are no longer
    for needs in others.values():
        needs |= {deeper for each in needs for deeper in others[each]}

    turn(service, name, is_on=False)

    assert running(service) == {
        other for other, needs in others.items() if other != name and name not in needs
    }


LOOKING = """
import sys

from landyard import Kernel, load_settings
from landyard.web import create_app

create_app(Kernel(load_settings()))
print(*sys.modules)
"""


def modules(folder: Path, **more: str) -> set[str]:
    """The modules that a service has imported once it has started."""
    run = run_code(LOOKING, folder, **more)
    assert run.status == 0, run.err
    return set(run.out.split())


def module_of(name: str) -> str:
    """The package or module of a plugin."""
    return next(plugin.value for plugin in found() if plugin.name == name).partition(".")[0]


def test_plugins_that_are_on_are_imported(tmp_path: Path) -> None:
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
def test_a_switched_off_plugin_is_not_imported_after_a_restart(tmp_path: Path, name: str) -> None:
    own = module_of(name)
    installed = {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    switched = landyard(tmp_path, "plugins", "disable", name, given=b"", **installed)
    assert switched.status == 0, switched.err

    there = modules(tmp_path, **installed)

    assert "landyard" in there
    assert [each for each in there if each == own or each.startswith(f"{own}.")] == []

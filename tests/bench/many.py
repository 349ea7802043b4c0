"""The cost of a call among a thousand methods of a hundred plugins, compared with twenty of two
plugins, in process and over HTTP.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import ModuleType

import msgspec
from bench.answers import WrongAnswer
from bench.contest import Bench
from bench.figures import Figure, figure
from bench.load import Measured, blast
from bench.scenarios import Scenario
from bench.servers import Cores, environment, prepare, serving

from landyard import Kernel, Plugin, Request, Settings, Success
from landyard.core.calls import Credential
from landyard.logs import configure

MANY_BAR = 1.05
FEW, MANY = 2, 100  # plugins
EACH = 10  # methods of a plugin
CALLED = 20  # methods called in turn, spread over all methods
CALLS = 2_000  # of a round in process
CODE = "bench-many-0123456789"
WORLD = {
    "users": [{"id": 1, "name": "Ann", "admin": True}],
    "webhooks": [{"user": 1, "code": CODE, "scopes": ["many"]}],
}
PLUGIN = '''
from msgspec import Struct

from landyard import Call, MethodGroup, hookimpl

group = MethodGroup(scope="many")


class Echo(Struct, frozen=True):
    number: int = 0
    word: str = ""


for place in range({each}):

    @group.method(f"many.{name}.method{{place}}")
    def echo(call: Call, params: Echo) -> Echo:
        """Answer what was sent."""
        return params


@hookimpl
def register_methods() -> MethodGroup:
    return group
'''
_SENT = {"number": 7, "word": "seven"}


def many(bench: Bench) -> list[Figure]:
    """Measure a call among many methods and one among few, in turn."""
    inside = in_process(bench.folder, 4 * bench.rounds)
    http = over_http(bench.cores, bench.folder, 2 * bench.rounds, bench.seconds)
    what = f"a call among {MANY * EACH:,} methods, of among {FEW * EACH}"
    return [
        figure("many/process", f"{what}, in process", inside, bar=MANY_BAR, at_most=True),
        figure("many/http", f"{what}, over HTTP", http, bar=MANY_BAR, at_most=True),
    ]


def in_process(folder: Path, rounds: int) -> list[float]:
    """Dispatch calls in this process, to a kernel of few methods and to one of many."""
    configure("warning", "console")
    with ExitStack() as stack:
        kernels = {
            count: stack.enter_context(_kernel(folder / f"process-{count}", count))
            for count in (FEW, MANY)
        }
        requests = {
            count: [
                Request(name, _SENT, Credential("webhook", CODE, "1")) for name in _called(count)
            ]
            for count in kernels
        }
        for count, kernel in kernels.items():
            _time(kernel, requests[count])
        ratios = []
        for number in range(rounds):
            # The first kernel of a round changes from round to round.
            order = (FEW, MANY) if number % 2 else (MANY, FEW)
            took = {count: _time(kernels[count], requests[count]) for count in order}
            ratios.append(took[MANY] / took[FEW])
    return ratios


def over_http(cores: Cores, folder: Path, rounds: int, seconds: int) -> list[float]:
    """Send calls to a service of few methods and to one of many."""
    with ExitStack() as stack:
        ports = {
            count: stack.enter_context(_server(cores, folder / f"http-{count}", count))
            for count in (FEW, MANY)
        }

        def measure(count: int) -> Measured:
            return blast(cores.load, folder, _scenario(count), ports[count], seconds)

        for count in ports:
            measure(count)
        ratios = []
        for number in range(rounds):
            order = (FEW, MANY) if number % 2 else (MANY, FEW)
            rates = {count: measure(count).per_second for count in order}
            ratios.append(rates[FEW] / rates[MANY])
    return ratios


def _time(kernel: Kernel, requests: Sequence[Request]) -> float:
    began = time.perf_counter()
    for _ in range(CALLS // len(requests)):
        for request in requests:
            reply = kernel.dispatch(request)
            if not isinstance(reply, Success):
                raise WrongAnswer(f"{request.method}: {reply.error}")
    return time.perf_counter() - began


def _called(count: int) -> list[str]:
    every = [
        f"many.bench{plugin}.method{place}" for plugin in range(count) for place in range(EACH)
    ]
    return every[:: len(every) // CALLED]


@contextmanager
def _kernel(folder: Path, count: int) -> Iterator[Kernel]:
    plugins = [_plugin(f"bench{number}") for number in range(count)]
    with closing(Kernel(Settings(data=folder), plugins)) as kernel:
        kernel.schema.prepare(kernel.store)
        kernel.load(msgspec.json.encode(WORLD))
        yield kernel


def _plugin(name: str) -> Plugin:
    module = ModuleType(f"many_{name}")
    exec(PLUGIN.format(name=name, each=EACH), vars(module))  # the same text is installed for HTTP
    return Plugin(name, module)


@contextmanager
def _server(cores: Cores, folder: Path, count: int) -> Iterator[int]:
    installed = folder / "installed"
    installed.mkdir(parents=True)
    for number in range(count):
        _install(installed, f"bench{number}")
    prepare(folder, WORLD)
    paths = os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH")]))
    more = {"PYTHONPATH": paths, "LANDYARD_LOG_LEVEL": "warning"}
    env = environment(LANDYARD_DATA=str(folder), **more)
    with serving(cores, folder, env, "/readyz") as (port, _):
        yield port


def _install(folder: Path, name: str) -> None:
    """Put a plugin's distribution into `folder`, as an installer does."""
    (folder / f"many_{name}.py").write_text(PLUGIN.format(name=name, each=EACH))
    info = folder / f"many_{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: many-{name}\nVersion: 1.0\nRequires-Dist: landyard>=0.1\n"
    )
    (info / "entry_points.txt").write_text(f"[landyard]\n{name} = many_{name}\n")


def _scenario(count: int) -> Scenario:
    paths = tuple(f"/rest/1/{CODE}/{name}.json" for name in _called(count))
    return Scenario(f"many{count}", f"{count} plugins", paths[0], _SENT, paths=paths)

"""Runs a whole service in a test of a plugin, with just the plugins and data that the test needs.

    from landyard.testing import Service

    def test_greets():
        with Service([landyard_greeting]) as service:
            assert service.result("greeting.hello", name="Ann") == "Hello, Ann!"

Plugins are given as modules, or as `Plugin`s where the name is not the module's own: that of
`landyard_greeting` is `greeting`. A plugin that is built on others is given with them.

- Calls: `call` goes through the wire as a client's does and returns an `Answer` with `error` and
  `result`; `result` fails the test where the call failed. A `Download` that a method answers
  is the result as it is. `get` and `request` are for pages and bytes (they need httpx).
- Worlds: `Service(…, world={…})` is a world file as a dict; without one there is one user, an admin
  with the id 1, whose webhook `WEBHOOK` has every scope. `load` loads more.
- Settings: `Service(…, greeting={"loudly": True})` is the section of `landyard.toml`.
- Time: `Service(…, now=moment)` stops the clock there, `later(hours=1)` moves it, `run_jobs()` does
  the periodic work that is due by then.

Three faults fail a test without an assertion: a crash in a handler or a page, a code that the
method does not declare, and a result that contradicts the method's annotation (`WrongResult`).
Nothing here needs pytest.

For tools: `installed` lists the plugins there are, without an import; `brought` imports one.
"""

import asyncio
import functools
import tempfile
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Self

import msgspec
from msgspec import Struct

from landyard.core.calls import Download, NoContent, Paged
from landyard.core.errors import CallError
from landyard.core.hook_calls import Outcome
from landyard.core.timing import NO_DEADLINE
from landyard.host import Host
from landyard.kernel import Kernel
from landyard.plugin_host.discovery import Found
from landyard.plugin_host.discovery import found as installed
from landyard.plugin_host.loading import Contribution, Plugin, contribution, import_plugin
from landyard.serving.jobs import claim, due
from landyard.settings import Settings
from landyard.storage import models
from landyard.storage.schema import Tables, alembic_config
from landyard.web import create_app
from landyard.web.wire import Incoming, answer, encode_refusal, log_refusal, request_id, split

if TYPE_CHECKING:
    import httpx

__all__ = ["WEBHOOK", "Answer", "Contribution", "Found", "Service", "WrongResult"]
__all__ += ["as_plugin", "brought", "installed", "misfit"]

WEBHOOK = "test-webhook-0123456789"
"""The code of the webhook that `Service.call` uses unless it is given another."""


class WrongResult(AssertionError):
    """A method answered what its annotation does not say; the text names both."""


class Answer(Struct, frozen=True):
    """The answer to a call: the HTTP status and the JSON body, with its `X-Request-Id`."""

    status: int
    body: dict[str, Any]
    request_id: str = ""

    @property
    def error(self) -> str | None:
        """The error's code, or None where the call succeeded."""
        return self.body.get("error")

    @property
    def result(self) -> Any:
        """The result; fails the test where the call failed."""
        assert "result" in self.body, self.body
        return self.body["result"]


class Service:
    """A kernel on a database of its own; use it as a context manager.

    `world` is a world file as a dict; `settings` are those of `landyard.toml`, a plugin's as a
    dict. A crash inside a handler, and a code that its method does not declare, is raised by
    `call`, and what a page raised by `get` and `request`: it fails the test. So does a plugin that
    does not start; with `strict=False` it is `failed`, as in a service.
    """

    def __init__(
        self,
        plugins: Sequence[Plugin | ModuleType] | None = None,
        /,  # `plugins=` is a section of the settings
        *,
        world: Mapping[str, Any] | None = None,
        now: datetime | None = None,
        raise_crashes: bool = True,
        strict: bool = True,
        **settings: Any,
    ) -> None:
        """Start with `plugins`, or with all that are installed. `now` stops the clock there."""
        named = None if plugins is None else [as_plugin(plugin) for plugin in plugins]
        self._folder = tempfile.TemporaryDirectory(prefix="landyard-test-")
        self.now = now
        self.crashes: list[Exception] = []
        self._raise_crashes = raise_crashes
        settings.setdefault("data", Path(self._folder.name))
        sections = {name: value for name, value in settings.items() if isinstance(value, dict)}
        plain = {name: value for name, value in settings.items() if name not in sections}
        used = Settings(**plain, strict=strict, plugins=sections)
        with ExitStack() as undo:  # a failure here leaves nothing behind
            undo.callback(self._folder.cleanup)
            self.kernel = Kernel(used, named, now=self._now)
            undo.callback(self.kernel.close)
            self.kernel.dispatch.observers.append(self._record_crash)
            self.kernel.failures.observers.append(self._record_page)
            self.kernel.prepare()
            if loaded := _one_admin(self.kernel) if world is None else world:
                self.load(loaded)
            self._undo = undo.pop_all()

    def dump(self) -> dict[str, Any]:
        """Return the whole service, but for secrets, as a world."""
        world: dict[str, Any] = msgspec.json.decode(b"".join(self.kernel.dump()))
        return world

    def load(self, world: Mapping[str, Any]) -> None:
        """Load more of a world."""
        self.kernel.load(msgspec.json.encode(world))

    def call(
        self, method: str, params: Any = None, *, user: int = 1, webhook: str = WEBHOOK, **more: Any
    ) -> Answer:
        """Call a method as a client does: through the wire, with a webhook in the path."""
        body = msgspec.json.encode({**(params or {}), **more})
        answer = self.send(Incoming("POST", f"/{user}/{webhook}/{method}.json", body=body))
        if "result" in answer.body:
            self._compare(method, answer.result)
        return answer

    def send(self, incoming: Incoming) -> Answer:
        """Send a request of any form."""
        if not incoming.id:
            incoming = msgspec.structs.replace(incoming, id=request_id(""))
        target = split(incoming.path)
        method = self.kernel.methods.find(target[0])
        bounds = method.bounds if method else self.kernel.usual_bounds
        try:
            out = answer(
                self.kernel.dispatch,
                incoming,
                target,
                bounds,
                NO_DEADLINE,
                options=self.kernel.registry.options,
            )
        except CallError as error:
            log_refusal(error, incoming.address, incoming.id)
            out = encode_refusal(error)
        self._raise_crash()
        if out.content is not None:
            return Answer(out.status, {"result": out.content}, incoming.id)
        return Answer(out.status, msgspec.json.decode(out.body), incoming.id)

    def result(self, method: str, params: Any = None, **more: Any) -> Any:
        """Call a method and return its result; fails the test where the call failed."""
        return self.call(method, params, **more).result

    def get(self, path: str, **headers: str) -> "httpx.Response":
        """Get an address as a visitor does."""
        return self.request("GET", path, headers=headers)

    def request(self, verb: str, path: str, **options: Any) -> "httpx.Response":
        """Send an HTTP request through the whole web application (needs httpx)."""
        import httpx  # only tests need it

        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.web_app)
            async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as web:
                return await web.request(verb, path, **options)

        response = asyncio.run(send())
        self._raise_crash()
        return response

    @functools.cached_property
    def web_app(self) -> Any:
        """The ASGI application, for a client of your own; raises `PluginError` for wrong pages."""
        return create_app(self.kernel)

    @property
    def contributions(self) -> Sequence[Contribution]:
        """For tools: the contributions of the plugins that are on, each behind its requirements."""
        return self.kernel.resolution.contributions

    def routes(self, brought: Contribution) -> list[object]:
        """For tools: collect a plugin's public pages; raises `PluginError`."""
        return self.kernel.routes(brought)

    def downgrade(self, branch: Tables) -> None:
        """For tools: take a branch's tables back; raises whatever its revisions do."""
        from alembic import command  # slow to import

        with self.kernel.store.rebuilding() as connection:
            command.downgrade(alembic_config(branch, connection), "base")

    def run_jobs(self) -> list[str]:
        """Do the periodic work that is due now, here; return the jobs' names.

        One that crashes fails the test. `now` can be set, to come to a later time.
        """
        names = []
        kernel = self.kernel
        for _, job in due(kernel.resolution.jobs.values(), kernel.store, self._now):
            if claim(job, kernel.store, self._now()):
                job.work(kernel)
                names.append(job.name)
        return names

    def later(self, **by: float) -> datetime:
        """Move the clock, e.g. by `hours=1`, and stop it there; return the moment it shows."""
        self.now = self._now() + timedelta(**by)
        return self.now

    def close(self) -> None:
        """Let go of the database and of the data directory."""
        self._undo.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _record_crash(self, outcome: Outcome) -> None:
        if isinstance(outcome.crash, Exception):
            self.crashes.append(outcome.crash)

    def _record_page(self, where: str, error: BaseException) -> None:
        if where.startswith("page ") and isinstance(error, Exception):
            self.crashes.append(error)

    def _raise_crash(self) -> None:
        if self.crashes and self._raise_crashes:
            raise self.crashes.pop()

    def _now(self) -> datetime:
        return self.now or datetime.now(UTC)

    def _compare(self, name: str, result: Any) -> None:
        """Raise `WrongResult` for what is not of the type that the method's handler returns."""
        method = self.kernel.methods.find(name)
        if method is not None and (wrong := misfit(result, method.result)):
            raise WrongResult(f"{method.name} is to answer {method.result}: {wrong}")


def as_plugin(plugin: Plugin | ModuleType) -> Plugin:
    """Name a module as its entry point would: `landyard_greeting` is the plugin `greeting`."""
    if isinstance(plugin, Plugin):
        return plugin
    return Plugin(plugin.__name__.rpartition(".")[2].removeprefix("landyard_"), plugin)


def brought(plugin: Found) -> Contribution:
    """Import an installed plugin, on or off, and ask what it brings; raises `PluginError`."""
    return contribution(import_plugin(plugin), {})


@contextmanager
def installed_service(
    settings: Settings, *, others: bool = True, left_out: Mapping[str, str] = MappingProxyType({})
) -> Iterator[tuple[Host, Sequence[Contribution]]]:
    """For tools: load the installed plugins; yield their host, and what those that are on bring.

    `others` and `left_out` are those of `Kernel`.
    """
    with closing(Kernel(settings, others=others, left_out=left_out)) as kernel:
        yield kernel, kernel.resolution.contributions


def declared_names(plugin: Found) -> Iterator[tuple[str, str]]:
    """Name what the import of an installed plugin has declared beside others: kind and name.

    A `table` is in `METADATA`; a `model` is derived from `SQLModel` without a base of its own.
    """
    module = plugin.value.partition(":")[0]
    yield from (("table", name) for name in sorted(models.tables_of(module)))
    yield from (("model", kind.__name__) for kind in models.bare_classes(module))


def misfit(result: Any, expected: Any) -> str:
    """Say where a result, as JSON has it, is not of the type `expected`; nothing where it is.

    A type that JSON cannot be read into says nothing.
    """
    if isinstance(result, Download | NoContent) or expected in (Download, NoContent):
        fits = result is None or expected in (Any, type(result))  # an example shows no file
        return "" if fits else f"it answers a {type(result).__name__}"
    if typing.get_origin(expected) is Paged or expected is Paged:
        items = typing.get_args(expected) or (Any,)
        return misfit(result, list[items[0]])  # type: ignore[valid-type]
    try:
        msgspec.json.decode(msgspec.json.encode(result), type=expected)
    except msgspec.ValidationError as error:
        return str(error)
    except TypeError:  # no type of data
        pass
    return ""


def _one_admin(kernel: Kernel) -> Mapping[str, Any]:
    scopes = sorted({method.scope for method in kernel.methods if method.scope})
    return {
        "users": [{"id": 1, "name": "Admin", "admin": True}],
        "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": scopes}],
    }

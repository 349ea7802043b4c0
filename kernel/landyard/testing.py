"""For plugin authors: a whole service in a test, with exactly the plugins and the world it needs.

    def test_greets():
        with Service([Plugin("greeting", landyard_greeting)]) as service:
            assert service.result("greeting.hello", name="Ann") == "Hello, Ann!"

A service made without a world holds one user, an admin, whose webhook has every scope.
"""

import asyncio
import functools
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec
from msgspec import Struct

from landyard.app import Kernel
from landyard.calls import Reply, Request
from landyard.hookspecs import hookimpl
from landyard.jobs import claim_due
from landyard.plugins import Plugin
from landyard.settings import Settings
from landyard.wire import Incoming, answerer

if TYPE_CHECKING:
    import httpx

WEBHOOK = "test-webhook-0123456789"


class Answer(Struct, frozen=True):
    """What a call was answered: the HTTP status and the JSON body."""

    status: int
    body: dict[str, Any]

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
    `call`: it fails the test.
    """

    def __init__(
        self,
        plugins: Sequence[Plugin] | None = None,
        *,
        world: Mapping[str, Any] | None = None,
        now: datetime | None = None,
        raise_crashes: bool = True,
        **settings: Any,
    ) -> None:
        """Start with `plugins`, or with all that are installed. `now` stops the clock there."""
        self._folder = tempfile.TemporaryDirectory(prefix="landyard-test-")
        self.now = now
        self.crashes: list[Exception] = []
        self._raise_crashes = raise_crashes
        settings.setdefault("data", Path(self._folder.name))
        sections = {name: value for name, value in settings.items() if isinstance(value, dict)}
        plain = {name: value for name, value in settings.items() if name not in sections}
        try:
            self.kernel = Kernel(Settings(**plain, plugins=sections), plugins, now=self._now)
        except BaseException:
            self._folder.cleanup()
            raise
        self.kernel.hooks.register(_CrashRecorder(self.crashes), "landyard-testing")
        self._answer = answerer(self.kernel.dispatch, self.kernel.bounds)
        try:
            self.kernel.schema.prepare(self.kernel.store)
            self.load(_one_admin(self.kernel) if world is None else world)
        except BaseException:
            self.close()
            raise

    def load(self, world: Mapping[str, Any]) -> None:
        """Load more of a world."""
        self.kernel.load(msgspec.json.encode(world))

    def call(
        self, method: str, params: Any = None, *, user: int = 1, webhook: str = WEBHOOK, **more: Any
    ) -> Answer:
        """Call a method as a client does: through the wire, with a webhook in the path."""
        body = msgspec.json.encode({**(params or {}), **more})
        return self.send(Incoming("POST", f"/{user}/{webhook}/{method}.json", body=body))

    def send(self, incoming: Incoming) -> Answer:
        """Send a request of any form."""
        out = self._answer(incoming)
        if self.crashes and self._raise_crashes:
            raise self.crashes.pop()
        return Answer(out.status, msgspec.json.decode(out.body))

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
            transport = httpx.ASGITransport(self._web_app)
            async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as web:
                return await web.request(verb, path, **options)

        return asyncio.run(send())

    @functools.cached_property
    def _web_app(self) -> Any:
        from landyard.web import web_app

        return web_app(self.kernel)

    def run_jobs(self) -> list[str]:
        """Do the periodic work that is due now, here; return the jobs' names.

        One that crashes fails the test. `now` can be set, to come to a later time.
        """
        names = []
        for job in claim_due(self.kernel.jobs, self.kernel.store, self.kernel.now):
            job.work(self.kernel)
            names.append(job.name)
        return names

    def close(self) -> None:
        """Let go of the database and of the data directory."""
        self.kernel.close()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _now(self) -> datetime:
        return self.now or datetime.now(UTC)


class _CrashRecorder:
    def __init__(self, crashes: list[Exception]) -> None:
        self._crashes = crashes

    @hookimpl
    def call_finished(self, request: Request, reply: Reply, crash: Exception | None) -> None:  # noqa: ARG002 - the hook's signature
        if crash is not None:
            self._crashes.append(crash)


def _one_admin(kernel: Kernel) -> Mapping[str, Any]:
    scopes = sorted({method.scope for method in kernel.methods if method.scope})
    return {
        "users": [{"id": 1, "name": "Admin", "admin": True}],
        "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": scopes}],
    }

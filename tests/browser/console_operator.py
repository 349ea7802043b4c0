"""A service with the demo, and an operator's browser that is signed in to the console."""

import os
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
from browser.visiting import Visitor
from browser.visits import Visit
from clients.serving import landyard
from contract.pictures import PNG, picture
from kernel import processes
from kernel.installing import install
from kernel.supervised import until
from msgspec import Struct
from playwright.async_api import Page

CONSOLE = "/-/console"
T = TypeVar("T")
Act = Callable[[Page], Awaitable[T]]
_PATIENCE = 240.0  # seconds; one test looks at all screens

BROKEN = "raise RuntimeError('the spare key is under the mat')\n"
"""A plugin that fails with a reason."""

CREAKING = '''
from landyard import Call, MethodGroup, hookimpl
from msgspec import Struct

group = MethodGroup(scope="landing")


class Nothing(Struct, frozen=True):
    """No parameters."""


@group.method("creaking.tide")
def tide(call: Call, params: Nothing) -> int:
    """Tell the height of the tide."""
    raise LookupError("the tide table is for 1987")


@group.method("creaking.moon")
def moon(call: Call, params: Nothing) -> str:
    """Tell the phase of the moon."""
    return "waning"


@hookimpl
def register_methods() -> MethodGroup:
    return group
'''
"""A plugin with a method that always fails, and one that never does."""


class Consoled(Struct, frozen=True):
    """The service, its webhook, and a way to act in the console as a user."""

    base: str
    hook: str
    data: Path
    visitor: Visitor

    def call(self, method: str, **params: Any) -> Any:
        """Call a method through the demo's webhook."""
        url = f"{self.hook}{method}.json"
        answer = httpx.post(url, json=params, timeout=_PATIENCE).json()
        assert "result" in answer, answer
        return answer["result"]

    def link(self, user: int = 1) -> str:
        """Make a link that signs a user in."""
        port = self.base.rpartition(":")[2]
        found = processes.landyard(
            self.data, "console", str(user), LANDYARD_DATA=str(self.data), LANDYARD_PORT=port
        )
        assert found.status == 0, found.err
        return found.out.strip()

    def act(self, act: Act[T], *, user: int = 1, width: int = 1280) -> tuple[T, Visit]:
        """Act in the console, in a new browser that signed in through a link."""

        async def signed_in(page: Page) -> T:
            await page.goto(self.link(user))
            return await act(page)

        return self.visitor.act(signed_in, base=self.base, width=width, patience=_PATIENCE)


@contextmanager
def consoled(data: Path, visitor: Visitor) -> Iterator[Consoled]:
    """Serve the demo beside failing plugins, with a picture that page 10 uses."""
    site = data / "site"
    site.mkdir()
    install(site, "broken", "broken = broken", BROKEN)
    install(site, "creaking", "creaking = creaking", CREAKING)
    paths = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))
    variables = {"LANDYARD_DATA": str(data), "PYTHONPATH": paths}
    with processes.serving(data, "--demo", **variables) as server:
        until(lambda: "page publish" in server.out, lambda: server.out)
        found = re.search(r"Webhook +(\S+)", server.out)
        assert found
        assert re.search(rf"Console +http://\S+{CONSOLE}/sign-in\?key=", server.out)
        console = Consoled(f"http://127.0.0.1:{server.port}", found[1], data, visitor)
        sent = picture(PNG, "old.png")
        kept = console.call("landing.block.uploadfile", block=102, picture=sent)
        shown = {".landing-block-node-img": {"src": kept["src"], "alt": ""}}
        console.call("landing.block.updatenodes", lid=10, block=102, data=shown)
        yield console


def add_user(data: Path, name: str) -> int:
    """Add a user without any right; return the id."""
    return int(re.findall(r"\d+", landyard(data, "user", "add", name))[0])

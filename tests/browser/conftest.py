"""A service with the demo, as `landyard serve --demo` starts it, and a visitor with a browser."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from browser.console_editor import Editing
from browser.console_operator import Consoled, consoled
from browser.visiting import CHROMIUM, Visitor
from clients.serving import serving
from kernel.supervised import until
from msgspec import Struct
from plugins.forms.mailbox import Server

from landyard import Kernel, Settings
from landyard_content.pages.publication import publish

WEBHOOK_LINE = re.compile(r"^ *Webhook +(\S+)$", re.MULTILINE)


class Demo(Struct, frozen=True):
    """The addresses of the service and of its webhook, and the data directory."""

    base: str
    hook: str
    data: Path

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method through the webhook."""
        answer: dict[str, Any] = httpx.post(f"{self.hook}{method}.json", json=params).json()
        return answer

    def result(self, method: str, **params: Any) -> Any:
        """Call a method of `landing.` that must succeed, and return its result."""
        answer = self.call(f"landing.{method}", **params)
        assert "error" not in answer, answer
        return answer["result"]

    def publish(self, *pages: int) -> None:
        """Publish the drafts of pages."""
        kernel = Kernel(Settings(data=self.data))
        with kernel.store.session(writes=True) as session:
            for page in pages:
                publish(session.connection(), page, kernel.now())
        kernel.close()


@pytest.fixture(scope="session")
def mailbox() -> Iterator[Server]:
    """The mailbox that receives the mails of the demo's forms."""
    made = Server()
    yield made
    made.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, mailbox: Server) -> Iterator[Demo]:
    data = tmp_path_factory.mktemp("demo")
    mail = {
        "SMTP_HOST": "127.0.0.1",
        "SMTP_PORT": str(mailbox.port),
        "SMTP_SECURITY": "none",
        "MAIL_FROM": "site@example.org",
        "MAIL_TO": "office@example.org",
    }
    forms = {f"LANDYARD_FORMS__{name}": value for name, value in mail.items()}
    with serving(data, "--demo", **forms) as (port, printed):
        until(lambda: "page publish" in printed.read_text(), printed.read_text)
        found = WEBHOOK_LINE.search(printed.read_text())
        assert found, printed.read_text()
        yield Demo(f"http://127.0.0.1:{port}", found[1], data)


@pytest.fixture(scope="session")
def visitor(demo: Demo) -> Iterator[Visitor]:
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    visitor = Visitor(demo.base)
    yield visitor
    visitor.close()


@pytest.fixture(scope="module")
def editing(demo: Demo, visitor: Visitor) -> Editing:
    return Editing(demo, visitor)


@pytest.fixture
def page_number(request: pytest.FixtureRequest) -> int:
    """A number for `make_page`; no other test of this run has it or the next ones."""
    names = sorted(item.nodeid for item in request.session.items)
    return 2000 + 2 * names.index(request.node.nodeid)


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Consoled]:
    """A service for each test module, whose console a test uses."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    visitor = Visitor("http://127.0.0.1")
    with consoled(tmp_path_factory.mktemp("console"), visitor) as console:
        yield console
    visitor.close()

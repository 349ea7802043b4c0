"""The demo, served over HTTP and over HTTPS, and its callers."""

import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from clients.serving import HOST, demo_world, landyard, load, make_tls, serving, serving_https
from corpora import read_data
from msgspec import Struct

pytest.register_assert_rewrite("clients.story")

WEBHOOK = "client-webhook-0123456789"
VIEWER_WEBHOOK = "client-viewer-0123456789"
TOKEN = "client-token-0123456789"
EXPIRED_TOKEN = "expired-token-0123456789"
BEFORE, LATER = "2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"

# Additions to the demo's world: places to move to, and a page that cannot be deleted.
PLACES = read_data(__file__, "PLACES", dict[str, list[dict[str, Any]]])


class Demo(Struct, frozen=True):
    """The addresses of the demo: `http` with a scheme, `https` as a domain, and the certificate
    authority.
    """

    http: str
    https: str
    authority: Path
    data: Path

    @property
    def hook(self) -> str:
        """The webhook's address, with a final slash."""
        return f"{self.http}/rest/1/{WEBHOOK}/"

    def visit(self, url: str) -> tuple[int, str]:
        """Visit a page without credentials: return the status, and the shown page."""
        answer = self._get(url)
        return answer.status_code, answer.text

    def fetch(self, url: str) -> bytes:
        """Fetch an existing file."""
        answer = self._get(url)
        assert answer.status_code == 200, url
        return answer.content

    @contextmanager
    def tables(self) -> Iterator[sa.Connection]:
        """Read the database, for values that the contract has no way to read."""
        engine = sa.create_engine(f"sqlite:///{self.data / 'landyard.db'}")
        try:
            with engine.connect() as connection:
                yield connection
        finally:
            engine.dispose()

    def _get(self, url: str) -> httpx.Response:
        trusted = ssl.create_default_context(cafile=str(self.authority))
        return httpx.get(url, verify=trusted)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """One service for all clients: a test edits blocks that only this test reads, or a page of its
    own.
    """
    data = tmp_path_factory.mktemp("demo")
    load(
        data,
        demo_world(
            users=[{"id": 2, "name": "Viewer", "sites_access": True, "rights": {"*": ["view"]}}],
            webhooks=[
                {"user": 1, "code": WEBHOOK, "scopes": ["landing"]},
                {"user": 2, "code": VIEWER_WEBHOOK, "scopes": ["landing"]},
            ],
            tokens=[
                {"user": 1, "token": TOKEN, "scopes": ["landing"], "expires_at": LATER},
                {"user": 1, "token": EXPIRED_TOKEN, "scopes": ["landing"], "expires_at": BEFORE},
            ],
            **PLACES,
        ),
    )
    for name in ("oauth", "apps"):
        landyard(data, "plugins", "enable", name)
    tls = make_tls(tmp_path_factory.mktemp("tls"))
    with ExitStack() as servers:
        port, _ = servers.enter_context(serving(data))
        secure = servers.enter_context(serving_https(data, tls))
        yield Demo(f"http://{HOST}:{port}", f"{HOST}:{secure}", tls.authority, data)

"""The demo, served over HTTP and over HTTPS, and who calls it."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from clients.serving import HOST, demo_world, load, make_tls, serving, serving_https
from msgspec import Struct

WEBHOOK = "client-webhook-0123456789"
VIEWER_WEBHOOK = "viewer-webhook-0123456789"
TOKEN = "client-token-0123456789"
EXPIRED_TOKEN = "expired-token-0123456789"
BEFORE, LATER = "2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"


class Demo(Struct, frozen=True):
    """Where the demo is: `http` with a scheme, `https` as a domain, and who vouches for that."""

    http: str
    https: str
    authority: Path
    data: Path

    @property
    def hook(self) -> str:
        """The webhook's address, with a slash at its end."""
        return f"{self.http}/rest/1/{WEBHOOK}/"


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """One service for all clients: a test edits blocks that no other test reads."""
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
        ),
    )
    tls = make_tls(tmp_path_factory.mktemp("tls"))
    with ExitStack() as servers:
        port, _ = servers.enter_context(serving(data))
        secure = servers.enter_context(serving_https(data, tls))
        yield Demo(f"http://{HOST}:{port}", f"{HOST}:{secure}", tls.authority, data)

"""b24pysdk as an app: it turns a code into tokens, and refreshes them when one has expired.

The address of its authorization server is written into it; here it is the demo's.
"""

import logging
import re
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import sqlalchemy as sa
from b24pysdk.api.requesters import BitrixOAuthRequester  # type: ignore[import-untyped]
from b24pysdk.client import Client  # type: ignore[import-untyped]
from b24pysdk.credentials import AbstractBitrixApp, BitrixToken  # type: ignore[import-untyped]
from clients.conftest import WEBHOOK, Demo
from kernel.supervised import until

from landyard import Kernel, Settings, table_of
from landyard_oauth.apps import Registered, register
from landyard_oauth.tables import Secret

CALLBACK = "http://127.0.0.1:9/callback"


@pytest.fixture
def kernel(demo: Demo) -> Iterator[Kernel]:
    kernel = Kernel(Settings(data=demo.data))
    yield kernel
    kernel.close()


def consent(demo: Demo, made: Registered) -> str:
    """Let an app in, as a browser does that is signed in; returns the code."""
    address = f"{demo.http}/oauth/authorize/?client_id={made.client_id}&state=s"
    with httpx.Client(cookies={"landyard": f"1/{WEBHOOK}"}) as browser:
        (token,) = re.findall(r'name="form_token" value="(\w+)"', browser.get(address).text)
        form = {"form_token": token, "decision": "allow"}
        place = browser.post(address, data=form).headers["location"]
    return parse_qs(urlsplit(place).query)["code"][0]


def test_an_app_gets_tokens_and_renews_them(
    demo: Demo,
    kernel: Kernel,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    # What it logs of itself, here in the test's process, has the secret in an address.
    caplog.set_level(logging.INFO, "urllib3")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(demo.authority))
    here = f"https://{demo.https}/oauth/token/"
    monkeypatch.setattr(BitrixOAuthRequester, "_OAUTH_TOKEN_URL", here)
    with kernel.store.session(writes=True) as session:
        made = register(session, "SDK", [CALLBACK], ["landing"], kernel.now())

    class App(AbstractBitrixApp):  # type: ignore[misc]  # the base is untyped
        client_id, client_secret = made.client_id, made.client_secret

    renewed = App().get_oauth_token(consent(demo, made))
    first = renewed.oauth_token
    assert (renewed.user_id, renewed.scope, renewed.status) == (1, ["landing"], "L")
    token = BitrixToken(
        domain=demo.https,
        auth_token=first.access_token,
        refresh_token=first.refresh_token,
        bitrix_app=App(),
    )
    client: Any = Client(token)
    assert client.app.info().result["CODE"] == made.client_id

    secrets = table_of(Secret)
    expired = sa.update(secrets).where(secrets.c.kind == "access")
    expired = expired.values(expires_at=datetime(2020, 1, 1, tzinfo=UTC))
    kernel.store.run(lambda unit: unit.connection.execute(expired), writes=True)
    trusted = ssl.create_default_context(cafile=str(demo.authority))

    def is_over() -> bool:
        sent = {"auth": first.access_token}
        answer = httpx.post(f"https://{demo.https}/rest/profile", json=sent, verify=trusted)
        return bool(answer.json().get("error") == "expired_token")

    until(is_over)
    assert client.profile().result["ID"] == "1"
    assert token.auth_token != first.access_token
    assert token.refresh_token != first.refresh_token

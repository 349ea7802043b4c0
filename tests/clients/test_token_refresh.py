"""Clients as apps exchange a code for tokens, and refresh expired ones.

Each gets the address of the authorisation server as an option; in b24pysdk that address is fixed.
"""

import logging
from typing import Any

import httpx
import pytest
from b24pysdk.api.requesters import BitrixOAuthRequester  # type: ignore[import-untyped]
from b24pysdk.client import Client  # type: ignore[import-untyped]
from b24pysdk.credentials import AbstractBitrixApp, BitrixToken  # type: ignore[import-untyped]
from clients.apps import consent, expire, make_app
from clients.conftest import Demo
from clients.test_b24jssdk import running
from pybitrix24 import Bitrix24


def test_b24pysdk(
    demo: Demo, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Its log, written in the test's process, contains the secret as part of an address.
    caplog.set_level(logging.INFO, "urllib3")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(demo.authority))
    here = f"https://{demo.https}/oauth/token/"
    monkeypatch.setattr(BitrixOAuthRequester, "_OAUTH_TOKEN_URL", here)
    made = make_app(demo, "b24pysdk")

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

    expire(demo, first.access_token)

    assert client.profile().result["ID"] == "1"
    assert token.auth_token != first.access_token
    assert token.refresh_token != first.refresh_token


def test_pybitrix24(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(demo.authority))
    made = make_app(demo, "pybitrix24")
    client = Bitrix24(demo.https, made.client_id, made.client_secret, auth_hostname=demo.https)
    first = client.obtain_tokens(consent(demo, made))
    assert client.call("profile")["result"]["ID"] == "1"

    expire(demo, first["access_token"])

    # The client leaves it to its user to notice that the token has expired.
    assert client.call("profile")["error"] == "expired_token"
    client.refresh_tokens()
    assert client.call("profile")["result"]["ID"] == "1"


def test_b24jssdk(demo: Demo) -> None:
    made = make_app(demo, "b24jssdk")
    params = {
        "grant_type": "authorization_code",
        "client_id": made.client_id,
        "client_secret": made.client_secret,
        "code": consent(demo, made),
    }
    first = httpx.post(f"{demo.http}/oauth/token/", data=params).json()
    tokens = {
        "accessToken": first["access_token"],
        "refreshToken": first["refresh_token"],
        "expires": first["expires"],
        "clientEndpoint": first["client_endpoint"],
        "serverEndpoint": f"{demo.http}/rest/",
    }
    with running(demo, made.client_id, made.client_secret, **tokens) as client:
        assert client.call("profile")["ID"] == "1"

        expire(demo, first["access_token"])

        assert client.call("profile")["ID"] == "1"
        assert client.call("profile")["ID"] == "1"

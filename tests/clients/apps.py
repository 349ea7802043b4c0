"""Apps that a user of the demo authorises, and their expiring tokens."""

import re
import ssl
from contextlib import closing
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import httpx
import sqlalchemy as sa
from clients.conftest import WEBHOOK, Demo
from kernel.supervised import until

from landyard import Kernel, Settings, table_of
from landyard_oauth.apps import Registered, register
from landyard_oauth.tables import Secret

CALLBACK = "http://127.0.0.1:9/callback"
NAME = re.compile(r'name="form_token" value="(\w+)"')


def make_app(demo: Demo, name: str) -> Registered:
    """Register an app, as `landyard app add` does."""
    with (
        closing(Kernel(Settings(data=demo.data))) as kernel,
        kernel.store.session(writes=True) as session,
    ):
        return register(session, name, [CALLBACK], ["landing"], kernel.now())


def consent(demo: Demo, made: Registered) -> str:
    """Authorise an app, as a signed-in browser does; return the code."""
    address = f"{demo.http}/oauth/authorize/?client_id={made.client_id}&state=s"
    with httpx.Client(cookies={"landyard": f"1/{WEBHOOK}"}) as browser:
        (token,) = NAME.findall(browser.get(address).text)
        form = {"form_token": token, "decision": "allow"}
        place = browser.post(address, data=form).headers["location"]
    return parse_qs(urlsplit(place).query)["code"][0]


def expire(demo: Demo, access_token: str) -> None:
    """Let an hour pass for all access tokens; return when the service refuses this one."""
    secrets = table_of(Secret)
    expired = sa.update(secrets).where(secrets.c.kind == "access")
    expired = expired.values(expires_at=datetime(2020, 1, 1, tzinfo=UTC))
    with closing(Kernel(Settings(data=demo.data))) as kernel:
        kernel.store.run(lambda unit: unit.connection.execute(expired), writes=True)
    trusted = ssl.create_default_context(cafile=str(demo.authority))

    def is_over() -> bool:
        sent = {"auth": access_token}
        answers = [
            httpx.post(f"https://{demo.https}/rest/profile", json=sent, verify=trusted),
            httpx.post(f"{demo.http}/rest/profile", json=sent),
        ]
        return all(answer.json().get("error") == "expired_token" for answer in answers)

    until(is_over)

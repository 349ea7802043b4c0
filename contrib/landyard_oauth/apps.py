"""Registration, look-up and revocation of apps, and the check of their redirect addresses."""

import hmac
import re
import secrets
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import urlsplit

from msgspec import Struct
from sqlalchemy import delete
from sqlmodel import Session, select

from landyard import Actor, credentials, table_of
from landyard_oauth.tables import App, Grant

_CREDENTIAL = "app:"
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_ADDRESS = re.compile(r"[!#$%&'()*+,\-./:;=?@A-Z\[\]_a-z~0-9]{1,2000}")


class Refused(Exception):
    """The app cannot be registered; the text says why."""


class Registered(Struct, frozen=True):
    """An app just registered. `client_secret` is not stored: this is the only time to show it."""

    id: int
    client_id: str
    client_secret: str
    application_token: str


def register(
    session: Session,
    title: str,
    redirect_uris: Sequence[str],
    scopes: Sequence[str],
    now: datetime,
) -> Registered:
    """Register an app, with a new secret; raises `Refused`."""
    if not title.strip():
        raise Refused("an app needs a title: users see it on the consent page")
    for each in redirect_uris:
        check_redirect_uri(each)
    for each in scopes:
        if not credentials.usable_scope(each):
            raise Refused(f"'{each}' is no scope: give one word, e.g. landing")
    secret = f"lyc_{secrets.token_urlsafe(32)}"
    app = App(
        client_id=f"local.{secrets.token_hex(7)}.{secrets.randbelow(10**8):08d}",
        digest=credentials.digest(secret),
        title=title.strip(),
        redirect_uris=" ".join(dict.fromkeys(redirect_uris)),
        scopes=" ".join(sorted(set(scopes))),
        application_token=secrets.token_hex(16),
        created_at=now,
    )
    session.add(app)
    session.flush()
    assert app.id is not None
    return Registered(app.id, app.client_id, secret, app.application_token)


def check_redirect_uri(address: str) -> None:
    """Raise `Refused` for an address to which no code may be sent.

    A code may go to `https` or to the local machine (RFC 8252, 7.3). The address has no fragment
    (RFC 6749, 3.1.2).
    """
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host = ""
    if not _ADDRESS.fullmatch(address) or not host or parts.fragment or "#" in address:
        raise Refused(f"'{address}' is no address that a browser can be sent to")
    if parts.username is not None:
        raise Refused(f"'{address}' names a user: leave that out")
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK):
        raise Refused(f"'{address}' is not https: http is for 127.0.0.1, [::1] and localhost alone")


def is_redirect_uri(address: str, registered: str) -> bool:
    """Tell whether an address matches a registered one.

    Host, path and query must be equal. The port of a loopback address may differ, because the
    system gives a local app a new port each time (RFC 8252, 7.3).
    """
    if address == registered:
        return True
    expected = _without_port(registered)
    return expected is not None and _without_port(address) == expected


def _without_port(address: str) -> tuple[str, str] | None:
    """Return the host of a loopback address and the part after its port; else None."""
    try:
        check_redirect_uri(address)
    except Refused:
        return None
    parts = urlsplit(address)
    host = parts.hostname or ""
    if parts.scheme != "http" or host not in _LOOPBACK or parts.port == 0:
        return None
    return host, address[len("http://") + len(parts.netloc) :]


def find_client(session: Session, client_id: str) -> App | None:
    """Return the unrevoked app with this client id; else None."""
    return session.exec(select(App).where(App.client_id == client_id, App.active)).first()


def find_app(session: Session, app_id: int) -> App | None:
    """Return the unrevoked app with this id; else None."""
    return session.exec(select(App).where(App.id == app_id, App.active)).first()


def has_secret(app: App, secret: str) -> bool:
    return hmac.compare_digest(app.digest, credentials.digest(secret))


def revoke(session: Session, app_id: int) -> bool:
    """Switch an app off and delete its grants; answers whether the app exists."""
    app = session.get(App, app_id, with_for_update=True)
    if app is None:
        return False
    app.active = False
    session.add(app)
    table = table_of(Grant)
    session.connection().execute(delete(table).where(table.c.app_id == app_id))
    return True


def credential_of(app_id: int) -> str:
    """Return an app's name in `Actor.credential`, shared by its tokens: limits count per app."""
    return f"{_CREDENTIAL}{app_id}"


def app_id_of(actor: Actor) -> int | None:
    """Return the calling app's id; None if the credential is a webhook or an operator's token."""
    if not actor.credential.startswith(_CREDENTIAL):
        return None
    return int(actor.credential.removeprefix(_CREDENTIAL))

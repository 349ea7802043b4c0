"""Detects doubtful submissions, without third parties and puzzles.

A doubtful submission is not refused: the visitor sees the written text again and is asked to send
it once more. Pages are cached for all visitors, so the page itself cannot record when a visitor saw
the form. An image in the form does: its request sets a cookie with the signed time.
"""

import hashlib
import hmac
import secrets
from datetime import datetime

from sqlalchemy import Connection, insert, select

from landyard import Host
from landyard_forms.answers import Sent
from landyard_forms.settings import FormSettings
from landyard_forms.tables import KEY
from landyard_landing import advisory_lock

COOKIE = "landyard_form"
SEEN_FOR = 24 * 3600
"""Seconds after seeing a form in which it can be sent without a question."""

_RENEWED = SEEN_FOR // 2  # age in seconds at which the cookie is renewed
_AGAIN_FOR = 3600  # seconds in which the question can be answered
_AGAIN_SECONDS = 1.0  # the least seconds that a person needs to answer
_CLOCKS = 60  # seconds; the largest difference between clocks of hosts


class Guard:
    """Signs and verifies times, with the key of the service, which is read once."""

    def __init__(self, host: Host) -> None:
        """Read no key yet."""
        self._host = host
        self._key = b""

    def sign(self, about: str, now: datetime) -> str:
        """Return the signed current time for one purpose: `seen` or `again:7`."""
        moment = f"{now.timestamp():.1f}"
        return f"{moment}.{self._mac(f'{about} {moment}')}"

    def age(self, about: str, signed: str, now: datetime) -> float | None:
        """Return the age of a signed time in seconds; None if the signature is wrong."""
        moment, _, mac = signed.rpartition(".")
        if not hmac.compare_digest(mac.encode(), self._mac(f"{about} {moment}").encode()):
            return None
        age = now.timestamp() - float(moment)  # the signature is right, so this is a number
        return None if age < -_CLOCKS else age

    def pseudonym(self, about: str) -> str:
        """Return a keyed digest that replaces an address, or answers."""
        return self._mac(f"pseudonym {about}")

    def is_new(self, cookie: str, now: datetime) -> bool:
        """Tell whether a visitor needs a new cookie; a recent one is kept."""
        age = self.age("seen", cookie, now)
        return age is None or age > _RENEWED

    def is_answered(self, form_id: int, again: str, now: datetime) -> bool:
        """Tell whether the visitor was asked to send the form once more, and now does."""
        age = self.age(f"again:{form_id}", again, now)
        return age is not None and _AGAIN_SECONDS <= age <= _AGAIN_FOR

    def is_doubtful(self, sent: Sent, cookie: str, now: datetime) -> bool:
        """Tell whether a submission looks as if no person had sent it."""
        settings = self._host.section(FormSettings)
        age = self.age("seen", cookie, now)
        took_time = age is not None and settings.seconds <= age <= SEEN_FOR
        return not took_time or bool(sent.homepage) or sent.links > settings.links

    def _mac(self, text: str) -> str:
        if not self._key:
            self._key = _read_key(self._host)
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()[:40]


def _read_key(host: Host) -> bytes:
    key = host.store.run(lambda unit: _stored(unit.connection), writes=False)
    return (key or host.store.run(lambda unit: _made(unit.connection), writes=True)).encode()


def _stored(connection: Connection) -> str:
    return connection.execute(select(KEY.key)).scalar() or ""


def _made(connection: Connection) -> str:
    advisory_lock.acquire(connection, "forms.key")
    if not (found := _stored(connection)):
        found = secrets.token_hex(32)
        connection.execute(insert(KEY.key.table).values(id=1, key=found))
    return found

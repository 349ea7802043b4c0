"""The guard: what makes a submission doubtful, told without third parties and without puzzles.

Nobody is turned away for a doubt: whoever is doubted is shown what was written, and asked to send
it once more. A page is kept in memory for all visitors, so when somebody has seen a form is told
not by the page but by a picture in it, which sets a cookie with the signed time.
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
from landyard_landing import take_turn

COOKIE = "landyard_form"
SEEN_FOR = 24 * 3600
"""Seconds for which a form that was seen can be sent without a question."""

_RENEWED = SEEN_FOR // 2  # seconds after which a cookie is set anew
_AGAIN_FOR = 3600  # seconds in which what is asked can be answered
_AGAIN_SECONDS = 1.0  # that a person takes for that, at least
_CLOCKS = 60  # seconds by which the clocks of hosts differ, at most


class Guard:
    """Signs and reads times, with the key of the service, which is read once."""

    def __init__(self, host: Host) -> None:
        """Read nothing yet."""
        self._host = host
        self._key = b""

    def sign(self, about: str, now: datetime) -> str:
        """Write the moment it is, for one thing: `seen` or `again:7`."""
        moment = f"{now.timestamp():.1f}"
        return f"{moment}.{self._mac(f'{about} {moment}')}"

    def age(self, about: str, signed: str, now: datetime) -> float | None:
        """Return how many seconds ago that was written; None for what nobody here has written."""
        moment, _, mac = signed.rpartition(".")
        if not hmac.compare_digest(mac.encode(), self._mac(f"{about} {moment}").encode()):
            return None
        age = now.timestamp() - float(moment)  # it is signed, so it is a number
        return None if age < -_CLOCKS else age

    def pseudonym(self, about: str) -> str:
        """Return what stands for an address, or for answers: only the key tells for which."""
        return self._mac(f"pseudonym {about}")

    def is_new(self, cookie: str, now: datetime) -> bool:
        """Tell whether a visitor who sees a form needs a cookie; one that is good stays."""
        age = self.age("seen", cookie, now)
        return age is None or age > _RENEWED

    def is_answered(self, form_id: int, again: str, now: datetime) -> bool:
        """Tell whether the visitor was asked to send it once more, and does so."""
        age = self.age(f"again:{form_id}", again, now)
        return age is not None and _AGAIN_SECONDS <= age <= _AGAIN_FOR

    def is_doubtful(self, sent: Sent, cookie: str, now: datetime) -> bool:
        """Tell whether it looks like what no person has sent."""
        settings = self._host.section(FormSettings)
        age = self.age("seen", cookie, now)
        took_time = age is not None and settings.seconds <= age <= SEEN_FOR
        return not took_time or bool(sent.homepage) or sent.links > settings.links

    def _mac(self, text: str) -> str:
        if not self._key:
            self._key = _read_key(self._host)
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()[:40]


def _read_key(host: Host) -> bytes:
    found = host.store.run(lambda unit: _stored(unit.connection), writes=False)
    return (found or host.store.run(lambda unit: _made(unit.connection), writes=True)).encode()


def _stored(connection: Connection) -> str:
    return connection.execute(select(KEY.key)).scalar() or ""


def _made(connection: Connection) -> str:
    take_turn(connection, "forms.key")
    if not (found := _stored(connection)):
        found = secrets.token_hex(32)
        connection.execute(insert(KEY.key.table).values(id=1, key=found))
    return found

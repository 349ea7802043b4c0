"""A canary: records each secret shown in a test process, and everything that services log or answer
there.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from landyard import Request
from landyard.auth import credentials
from landyard.auth.world_lists import USABLE_SECRET
from landyard.cli import console
from landyard.logs import configure
from landyard.testing import Service
from landyard.web import wire
from landyard_audit.rows import AUDIT_ROW, Rows


class Canary:
    """The secrets shown, and the texts in which they must not appear. `said` holds all texts but
    successful answers.

    A successful answer repeats what the caller sent, so each is only searched for its own
    credential.
    """

    def __init__(self, log: Path) -> None:
        self.log = log
        self.shown: set[str] = set()
        self.refusals: set[str] = set()
        self.rows: set[str] = set()
        self.pages: set[str] = set()
        self.betrayed: set[str] = set()
        self._calling = threading.local()

    @property
    def said(self) -> dict[str, str]:
        return {
            "the log": self.log.read_text(encoding="utf-8"),
            "a refusal": "\n".join(self.refusals),
            "the audit": "\n".join(self.rows),
            "a page": "\n".join(self.pages),
        }

    def found(self, harmless: set[str]) -> list[tuple[str, str]]:
        """List which secrets appeared where."""
        said = self.said
        # A word like `xxxx…` may also be a request id, so it does not count as a secret.
        secrets = {
            each
            for each in self.shown - harmless
            if USABLE_SECRET.fullmatch(each) and len(set(each)) > 4
        }
        found = [(each, where) for where, text in said.items() for each in secrets if each in text]
        return [*found, *((each, "its own answer") for each in self.betrayed & secrets)]

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Listen to every service of this process, at the level `debug`."""
        with (
            self.log.open("w", encoding="utf-8", buffering=1) as stream,
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setattr(credentials, "digest", self._noting_secrets(credentials.digest))
            patch.setattr(wire, "decode", self._noting_calls(wire.decode))
            patch.setattr(wire, "encode", self._noting_answers(wire.encode))
            patch.setattr(wire, "_refused", self._noting_refusals(wire._refused))
            patch.setattr(Service, "close", self._noting_rows(Service.close))
            patch.setattr(Service, "request", self._noting_pages(Service.request))
            configure("debug", "json", stream)
            # Otherwise a command run in this process would replace the logging for good.
            patch.setattr(console, "configure", lambda *_: None)
            yield

    def _noting_secrets(self, digest: Any) -> Any:
        def noting(secret: str) -> Any:
            self.shown.add(secret)
            return digest(secret)

        return noting

    def _noting_calls(self, decode: Any) -> Any:
        def noting(*given: Any) -> Request:
            request: Request = decode(*given)
            self._calling.secret = request.credential.secret if request.credential else ""
            return request

        return noting

    def _noting_answers(self, encode: Any) -> Any:
        def noting(reply: Any) -> Any:
            out = encode(reply)
            secret = getattr(self._calling, "secret", "")
            if secret and secret.encode("utf-8", "surrogatepass") in out.body:
                self.betrayed.add(secret)
            return out

        return noting

    def _noting_refusals(self, refused: Any) -> Any:
        def noting(*given: Any) -> Any:
            out = refused(*given)
            self.refusals.add(f"{out.body.decode()} {out.headers}")
            return out

        return noting

    def _noting_rows(self, close: Any) -> Any:
        def noting(service: Service) -> None:
            for brought in service.kernel.resolution.contributions:
                # A thread of the service may add a row meanwhile: a copy is one step.
                if isinstance(brought.keeper, Rows):
                    self.rows.update(map(repr, brought.keeper._pending.copy()))
            # The test may have removed the database.
            with suppress(sa.exc.SQLAlchemyError), service.kernel.store.session() as session:
                rows = session.execute(sa.select(AUDIT_ROW))
                self.rows.update(repr(row) for row in rows)
            close(service)
            # the service was closed before, and this opened a new connection
            service.kernel.store.close()

        return noting

    def _noting_pages(self, request: Any) -> Any:
        def noting(service: Service, verb: str, path: str, **options: Any) -> Any:
            answer = request(service, verb, path, **options)
            if not path.startswith(("/rest", "/oauth/token")):
                # The cookie and an app's redirect may contain their own secret.
                own = {"set-cookie", *(["location"] if path.startswith("/oauth/") else [])}
                told = [each for each in answer.headers.items() if each[0] not in own]
                self.pages.add(f"{told} {answer.text}")
            return answer

        return noting

"""A plugin that crashes wherever a plugin can, each time with a secret in everything it leaves."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
import structlog
from kernel.sample import Brings
from litestar import get
from msgspec import Struct

from landyard import Call, CallError, Credential, Job, MethodGroup, Plugin, SystemFailure, hookimpl

log = structlog.get_logger()


class Login(Struct, frozen=True):
    password: str = ""


class Picky(Struct, frozen=True):
    """Parameters that the plugin's own code checks."""

    password: str = ""

    def __post_init__(self) -> None:
        raise ValueError(f"not with {self.password}")


class Taken(CallError):
    code = "TAKEN"


class Speaking(Exception):
    """An exception that contains the secret in every text it has."""

    def __init__(self, secret: str) -> None:
        super().__init__(f"cannot go on with {secret}")
        self.secret = secret
        self.add_note(f"it was {secret!r} at /rest/1/{secret}/x")

    def __repr__(self) -> str:
        return f"Speaking({self.secret})"


class Unwritable:
    """A value that JSON cannot express."""

    def __init__(self, secret: str) -> None:
        self.secret = secret

    def __repr__(self) -> str:
        return f"Unwritable({self.secret})"


def secret_of(call: Call) -> str:
    assert call.request.credential is not None
    return call.request.credential.secret


def plainly(call: Call, secret: str) -> object:
    raise Speaking(secret)


def by_cause(call: Call, secret: str) -> object:
    try:
        raise Speaking(secret)
    except Speaking as error:
        raise ValueError(secret) from error


def by_context(call: Call, secret: str) -> object:
    try:
        return call.request.params[secret]
    except KeyError:
        raise Speaking(secret)  # noqa: B904 - the implicit context is intended


def together(call: Call, secret: str) -> object:
    raise ExceptionGroup(secret, [Speaking(secret), ExceptionGroup("more", [Speaking(secret)])])


def undeclared(call: Call, secret: str) -> object:
    raise Taken(f"somebody else has {secret}")


def unwritable(call: Call, secret: str) -> object:
    return Unwritable(secret)


def unwritable_number(call: Call, secret: str) -> object:
    return {secret: {1, 2}, "then": object()}


def in_the_database(call: Call, secret: str) -> object:
    return call.session.execute(sa.text("SELECT :secret FROM nowhere"), {"secret": secret})


def in_the_text_of_sql(call: Call, secret: str) -> object:
    return call.session.execute(sa.text(f"SELECT '{secret}' FROM nowhere"))


def transaction(call: Call, secret: str) -> object:
    return call.transaction(lambda _: plainly(call, secret))


def on_commit(call: Call, secret: str) -> object:
    call.on_commit(lambda: plainly(call, secret))
    return True


def on_rollback(call: Call, secret: str) -> object:
    call.on_rollback(lambda: plainly(call, secret))
    raise Speaking(secret)


def logged(call: Call, secret: str) -> object:
    log.warning("login_failed", reason=f"wrong: {secret}", given={"deep": [secret]})
    log.warning(secret)
    raise Speaking(secret)


def deep(call: Call, secret: str) -> object:
    return deep(call, secret)


WAYS: list[Callable[[Call, str], object]] = [
    *[plainly, by_cause, by_context, together, undeclared, unwritable, unwritable_number],
    *[in_the_database, in_the_text_of_sql, transaction, on_commit, on_rollback, logged, deep],
]


def group() -> MethodGroup:
    """Each crash in a method that reads and in one that writes, with SYSTEM_ERROR and without."""
    group = MethodGroup(scope="crash")
    for way in WAYS:
        for kind, errors in (("read", []), ("write", [SystemFailure])):
            _add(group, f"crash.{way.__name__}.{kind}", way, errors)

    @group.method("crash.picky")
    def picky(call: Call, params: Picky) -> None:
        """Never reached."""

    return group


def _add(
    group: MethodGroup,
    name: str,
    way: Callable[[Call, str], object],
    errors: Sequence[type[CallError]],
) -> None:
    def handler(call: Call, params: Login) -> Any:
        """Crash."""
        return way(call, secret_of(call))

    group.method(name, errors=errors, writes=name.endswith(".write"))(handler)


class Crashing(Brings):
    """The methods, and a page and a job that crash with `known`."""

    def __init__(self, known: str) -> None:
        super().__init__(group())
        self.known = known

    @hookimpl
    def register_routes(self, host: Any) -> Iterable[object]:
        @get("/crash", sync_to_thread=False)
        def page() -> str:
            raise Speaking(self.known)

        return [page]

    @hookimpl
    def register_jobs(self) -> Iterable[Job]:
        def work(_: object) -> None:
            raise Speaking(self.known)

        return [Job("crash.job", timedelta(hours=1), work)]


class InAuthenticate:
    @hookimpl
    def authenticate(self, credential: Credential) -> None:
        raise Speaking(credential.secret)


class InMapError:
    @hookimpl
    def map_error(self, error: Exception) -> None:
        raise Speaking(str(error))


class InCallFinished:
    @hookimpl
    def call_finished(self, request: Any) -> None:
        raise Speaking(request.credential.secret)


class InMapErrorAnswer:
    """Answers a code that no method declares, with a text that contains the secret."""

    @hookimpl
    def map_error(self, error: Exception) -> CallError:
        return Taken(str(error))


HOOKS: dict[str, Any] = {
    "authenticate": InAuthenticate,
    "map_error": InMapError,
    "map_error's answer": InMapErrorAnswer,
    "call_finished": InCallFinished,
}


def plugins(known: str, *hooks: str) -> Iterator[Plugin]:
    yield Plugin("crash", Crashing(known))
    for hook in hooks:
        yield Plugin(f"crash-{len(hook)}", HOOKS[hook]())

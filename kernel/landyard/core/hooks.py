"""Declares the hooks of a call: some decide about it on its way, others are told of its end.

`landyard.hooks` has the whole plugin contract.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

import pluggy
from msgspec import Struct

from landyard.core.calls import Actor, Credential, Failure, Reply, Request, Result
from landyard.core.errors import CallError
from landyard.core.methods import Method
from landyard.core.running import Call

hookspec = pluggy.HookspecMarker("landyard")
hookimpl = pluggy.HookimplMarker("landyard")
"""Marks a function of a plugin's module, or a method of its object, as one of these hooks."""

# ----------------------------------------------------------------- deciding


@hookspec
def guard_authentication(  # type: ignore[empty-body]
    address: str, credential: Credential
) -> AbstractContextManager[None]:
    """Surround the look-up of a credential that was not accepted during the last half second.

    The context manager is entered before the look-up. A refusal leaves it as an error. Raise
    `Postponed` while entering to have the call made anew a little later.
    """


@hookspec(firstresult=True)
def authenticate(
    credential: Credential, connection: Any, session: Any, now: datetime
) -> Actor | None:
    """Return the actor of a credential, or None to let the next plugin answer.

    Called for a credential that the kernel's own tables do not accept: an unknown webhook or token,
    and a webhook that is disabled, expired or another user's. Not called when a secret of
    Landyard's own form has a wrong checksum. An Actor whose `expires_at` has passed is refused.
    `Actor.credential` must not begin with `webhook:` or `token:`. `connection` is SQLAlchemy's.
    `session` is SQLModel's.
    """


@hookspec
def before_call(request: Request, actor: Actor, method: Method | None) -> str | None:
    """Refuse a call: raise a `CallError` with one of the kernel's codes or of the method's.

    Called when the caller is known, before the method's scope is checked. `request.params` has the
    parameters as they were sent. `method` is None when there is no such method. After the answer
    "not again" the hook is not called any more until a plugin is switched.
    """


@hookspec
def begin_call(call: Call, method: Method) -> Mapping[str, Callable[[Result], Result]] | None:
    """Begin the call options that this plugin handles; `call.request.options` has their values.

    Called in the transaction, before the handler, for a call with options. It answers a function
    for each option that it handles, by the option's name. The function takes the result before the
    commit, and returns the result that is answered. Raise `Answered` in the hook or the function to
    answer at once and keep nothing. A call with an option that no plugin handles is refused.
    """


@hookspec
def before_commit(call: Call, method: Method, seconds: float, again: bool) -> Iterable[Any] | None:
    """Write beside a call that writes: `call.connection` is its transaction, about to be committed.

    Called when the handler has returned, after `seconds`. The rows stand or fall with the call.
    When `call.transaction` commits several times, the hook is called for the first commit that
    writes, and for the others, with `again`, only if it takes that argument. It may answer
    `landyard.Write` statements, with values whose names begin with the plugin's: they go to
    PostgreSQL together with those of other plugins.
    """


@hookspec(firstresult=True)
def map_error(error: Exception) -> CallError | None:
    """Return the `CallError` that answers an exception of another kind, or None."""


# --------------------------------------------------------------------- told


@hookspec
def call_finished(  # noqa: PLR0917 - pluggy passes by name
    request: Request,
    actor: Actor | None,
    method: Method | None,
    params: Struct | None,
    reply: Reply,
    crash: BaseException | None,
    subject: str,
    seconds: float,
    rolled_back: bool,
) -> None:
    """Observe an answered call.

    `actor`, `method` and `params`, as they were read, are None for a call that did not get that
    far. `crash` is the unexpected exception behind a failure. `subject` is the value that
    `call.subject` was set to. `seconds` are those inside the handler. Nothing of a call that was
    `rolled_back` was kept; a dry run is one, and a command of a batch that is a dry run.
    `request.method` is the name that was called.
    """


@hookspec
def call_failed(  # noqa: PLR0917 - pluggy passes by name
    request: Request,
    actor: Actor | None,
    method: Method | None,
    params: Struct | None,
    reply: Failure,
    crash: BaseException | None,
    subject: str,
    seconds: float,
    rolled_back: bool,
) -> None:
    """Observe a call that failed; see `call_finished`, which costs every call that succeeds."""

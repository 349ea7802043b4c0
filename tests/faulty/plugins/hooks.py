"""Raises, exits or hangs in each hook around a call, when the call asks for it."""

import time
from typing import Any

from landyard import Call, Credential, Request, hookimpl


def go_wrong(how: object) -> None:
    """Fail: `raise`, `exit` or `hang`."""
    if how == "hang":
        time.sleep(3600)
    raise SystemExit(3) if how == "exit" else ZeroDivisionError("of a faulty hook")


def go_wrong_in(hook: str, request: Request) -> None:
    if request.params.get("hook") == hook:
        go_wrong(request.params["how"])


@hookimpl
def authenticate(credential: Credential) -> None:
    """Fail for a webhook that asks for it."""
    if credential.secret.startswith("faulty-webhook-"):
        go_wrong(credential.secret.rpartition("-")[2])


@hookimpl
def before_call(request: Request) -> None:
    go_wrong_in("before_call", request)


@hookimpl
def begin_call(call: Call) -> None:
    go_wrong_in("begin_call", call.request)


@hookimpl
def before_commit(call: Call) -> None:
    go_wrong_in("before_commit", call.request)


@hookimpl
def map_error(error: Exception) -> None:
    if isinstance(error, LookupError) and error.args[:1] == ("map_error",):
        go_wrong(error.args[1])


@hookimpl
def call_finished(request: Request) -> None:
    go_wrong_in("call_finished", request)


GUARDED = {"10.6.6.1": "raise", "10.6.6.2": "exit", "10.6.6.3": "hang"}  # callers' addresses


class Guard:
    """An object with a hook."""

    @hookimpl
    def guard_authentication(self, address: str) -> None:
        if address in GUARDED:
            go_wrong(GUARDED[address])


@hookimpl
def register_hooks(host: Any) -> Guard:
    return Guard()

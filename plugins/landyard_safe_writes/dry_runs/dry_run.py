"""Runs a call as a dry run: collects its changes, and rolls them back."""

from collections.abc import Callable

import msgspec
import structlog

from landyard import Answered, Call, CallError, InvalidRequest, Method, Result
from landyard_safe_writes.dry_runs import on_postgres, on_sqlite
from landyard_safe_writes.dry_runs.changes import MOST, fold

log = structlog.get_logger()

OPTION = "dry_run"
End = Callable[[Result], Result]
_YES = ("true", "1", "y", "yes", "on")


class DryRunNotPossible(CallError):
    code = "DRY_RUN_NOT_POSSIBLE"
    system = True
    text = "This method does more than a transaction takes back: it cannot be tried."


def begin_call(call: Call, method: Method) -> dict[str, End] | None:
    """Watch the changes of a call with the option `dry_run`, to answer them uncommitted."""
    if OPTION not in call.request.options:
        return None
    value = call.request.options[OPTION]  # a false value never arrives here
    if str(value).lower() not in _YES:
        raise InvalidRequest("`dry_run` is true or false.")
    if not method.writes:
        return {OPTION: lambda result: _tried(result, [])}
    if not can_be_tried(method):
        raise DryRunNotPossible(
            f"{method.name} does more than a transaction takes back: it cannot be tried."
        )
    database = on_sqlite if call.connection.dialect.name == "sqlite" else on_postgres
    database.watch(call.connection)

    def end(result: Result) -> Result:
        changes = fold(database.noted_changes(call.connection))
        if len(changes) > MOST:
            call.warn(f"the first {MOST} of {len(changes)} changes are answered")
        log.info("dry_run_made", changes=len(changes))
        raise Answered(_tried(result, changes[:MOST]))

    return {OPTION: end}


def can_be_tried(method: Method) -> bool:
    """Tell whether a method supports dry runs; a method that only reads always does."""
    alone = method.slow or not method.transaction
    return not method.writes or not alone or OPTION in method.options


def _tried(result: Result, changes: object) -> Result:
    return msgspec.structs.replace(result, more={"dry_run": True, "changes": changes})

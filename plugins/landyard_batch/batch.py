"""The method `batch`: runs up to 50 commands, one call each or all in one transaction."""

import functools
from collections.abc import Mapping
from typing import Annotated, Any, get_args

from msgspec import Meta, Struct

from landyard import (
    Bounds,
    Call,
    CallError,
    Download,
    Example,
    InvalidRequest,
    MethodGroup,
    MissingParams,
    WrongType,
    read_query,
)
from landyard_batch.references import Room, refer
from landyard_batch.results import BatchResult, Results

MOST = 50  # commands
OPTION = "idempotency_key"
SECONDS = 120.0

batches = MethodGroup(bounds=Bounds(size=8 * 1024 * 1024))


class BatchSettings(Struct, frozen=True):
    """The section `[batch]` of the settings.

    `answer_bytes`: the most bytes of all answers of a batch. `atomic_bytes`: the most bytes of all
    parameters of an atomic batch, because others wait while it writes (B18).
    """

    answer_bytes: Annotated[int, Meta(ge=1024)] = 8 * 1024 * 1024
    atomic_bytes: Annotated[int, Meta(ge=1024)] = 512 * 1024


class MethodNotAllowed(CallError):
    code = "ERROR_BATCH_METHOD_NOT_ALLOWED"
    text = "Method is not allowed for batch usage."


class LengthExceeded(CallError):
    code = "ERROR_BATCH_LENGTH_EXCEEDED"
    text = f"Max batch length exceeded: a batch has {MOST} commands at most."


class Batch(Struct, frozen=True):
    """`cmd`: commands by key, or a list of them; a command is `method?query`.

    `halt`: whether the first failure ends the batch. `atomic`: whether all run in one transaction,
    and none is kept if one fails.
    """

    cmd: Annotated[
        Any,
        Meta(
            description="object or array of strings",
            extra_json_schema={"type": ["object", "array"], "items": {}},
        ),
    ]
    halt: bool = False
    atomic: bool = False


class _Undone(Exception):
    """A command of an atomic batch has failed, so the transaction is rolled back."""


_TIME = {
    "start": 1795425719.9,
    "finish": 1795425719.904,
    "duration": 0.004,
    "processing": 0.003,
    "date_start": "2026-11-23T09:21:59+00:00",
    "date_finish": "2026-11-23T09:21:59+00:00",
    "operating": 0.003,
    "operating_reset_at": 1795426260,
}
_EXAMPLE = Example(
    {
        "cmd": {
            "made": "landing.landing.addByTemplate?siteId=1&code=event",
            "address": "landing.landing.getpublicurl?lid=$result[made]",
            "gone": "landing.landing.getpublicurl?lid=99",
        }
    },
    result={
        "result": {"made": 13, "address": "http://127.0.0.1:8000/demo/event/"},
        "result_error": {
            "gone": {
                "error": "LANDING_NOT_EXIST",
                "error_description": "There is no such page, it is in the trash, or it is not"
                " yours to see.",
            }
        },
        "result_total": [],
        "result_next": [],
        "result_time": {"made": _TIME, "address": _TIME},
    },
)


@batches.method(
    "batch",
    writes=True,
    slow=True,
    seconds=SECONDS,
    transaction=False,
    options=["dry_run", OPTION],
    errors=[MissingParams, WrongType],
    example=_EXAMPLE,
)
def batch(call: Call, params: Batch) -> BatchResult:
    r"""Run up to 50 commands in order, each as a call of its own.

    A command is a method and its parameters as a query string, `landing.block.getlist?lid=10`, the
    values percent-encoded. `$result[key][field][0]` in a value stands for that part of the earlier
    answer of the command `key`. A missing part counts as absent, and the header `Landyard-Warning`
    names it. With a backslash, `\$result[key]` stays text. A failed command is reported in
    `result_error` under its key; the other commands keep their effect. With `halt` later commands
    are not run. With `atomic` a failed command undoes all of them and is the only one reported. If
    all commands of an atomic batch only read, they see one state of the service. Refused are
    batches in batches, methods that answer with a file, and with `atomic` methods that take more
    than one transaction, such as an upload. Each command has an `idempotency_key`: its own, in its
    query string, or the batch's key followed by `/` and the command's key, in which `/` is `%2F`
    and `%` is `%25`. A `dry_run` covers the whole batch.
    """
    commands = _commands(params.cmd)
    with Results(call.settings(BatchSettings).answer_bytes) as results:
        return _answered(call, params, commands, results)


def _answered(
    call: Call, params: Batch, commands: Mapping[str, Any], results: Results
) -> BatchResult:
    if call.rolls_back:  # in one transaction, which is rolled back
        _run(call, commands, results, halt=params.halt or params.atomic, atomic=True)
        undone = params.atomic and results.refused
        return (results.undone() if undone else results).as_maps()
    if not params.atomic:
        _run(call, commands, results, halt=params.halt, atomic=False)
        return results.as_maps()

    def whole(inside: Call) -> None:
        _run(inside, commands, results, halt=True, atomic=True)
        if results.refused:
            raise _Undone

    try:
        call.transaction(whole, writes=_writes(call, commands))
    except _Undone:
        return results.undone().as_maps()
    return results.as_maps()


def _commands(commands: object) -> dict[str, Any]:
    if isinstance(commands, Mapping):
        return dict(commands)
    if isinstance(commands, list):
        return {str(place): command for place, command in enumerate(commands)}
    raise WrongType.of("cmd", "an object or an array of commands", commands)


def _run(
    call: Call, commands: Mapping[str, Any], results: Results, *, halt: bool, atomic: bool
) -> None:
    """Run the commands into `results`, which is emptied first: a transaction may run twice."""
    results.clear()
    settings = call.settings(BatchSettings)
    left = settings.atomic_bytes if atomic else batches.bounds.size or 0
    for place, (key, command) in enumerate(commands.items()):
        try:
            if place >= MOST:
                raise LengthExceeded
            name, query = _read(command)
            _admit(call, name, atomic=atomic)
            options = _options(call, key, query)
            warn = functools.partial(_warn_of, call, key)
            room = Room(_bounds(call, name), left)
            params = refer(query, results.find, warn, room)
            left -= room.taken if atomic else 0
            results.add(key, call.ask(name, params, **options))
        except CallError as error:
            results.refuse(key, error)
        if halt and results.refused:
            break


def _warn_of(call: Call, key: str, reference: str) -> None:
    """Warn the caller of a reference that was left out."""
    call.warn(
        f"the command {key[:40]}: {reference[:60]} names no text or number and was left out;"
        " a backslash before $result keeps the text"
    )


def _bounds(call: Call, name: str) -> Bounds:
    """Return the request bounds of a method, which apply in a batch, too."""
    method = call.listing.find(name)
    return Bounds() if method is None else method.bounds


def _read(command: object) -> tuple[str, dict[str, Any]]:
    """Split a command into the method's name and its parameters; raises `InvalidRequest`."""
    if not isinstance(command, str):
        raise InvalidRequest("A command is a text such as `landing.block.getlist?lid=10`.")
    try:
        return _name(command), read_query(command.partition("?")[2])
    except ValueError:
        raise InvalidRequest("The command's parameters cannot be read.") from None


def _name(command: object) -> str:
    return str(command).partition("?")[0].strip().strip("/").removesuffix(".json")


def _writes(call: Call, commands: Mapping[str, Any]) -> bool:
    """Tell whether any of the commands writes."""
    methods = (call.listing.find(_name(each)) for each in commands.values())
    return any(each is not None and each.writes for each in methods)


def _options(call: Call, key: str, query: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a command out of its query string; raises `InvalidRequest`."""
    if "dry_run" in query:
        raise InvalidRequest("A command has no `dry_run` of its own: send it for the whole batch.")
    whole = call.request.options.get(OPTION)
    own = query.pop(OPTION, None if whole is None else _key(whole, key))
    return {} if own is None or call.rolls_back else {OPTION: own}


def _key(whole: str, command: str) -> str:
    """Return a command's idempotency key, made of the batch's key and the command's name.

    The escapes keep keys of different batches apart. Quotes around a key in a header are dropped.
    """
    plain = whole[1:-1] if len(whole) > 1 and whole[0] == whole[-1] == '"' else whole
    return f"{plain}/{command.replace('%', '%25').replace('/', '%2F')}"


def _admit(call: Call, name: str, *, atomic: bool) -> None:
    """Raise `MethodNotAllowed` for a method that a batch, or an atomic batch, cannot run."""
    method = call.listing.find(name)
    if method is None:
        return
    if method.name == call.method or Download in (method.result, *get_args(method.result)):
        raise MethodNotAllowed
    if atomic and (method.slow or not method.transaction):
        raise MethodNotAllowed(f"{method.name} cannot be part of an atomic batch: call it before.")

"""The option `idempotency_key`: runs a call once, and answers repeats from the stored answer."""

import hashlib
import math
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import msgspec
import structlog
from msgspec import UNSET, Raw, Struct, UnsetType
from sqlalchemy import Connection, bindparam, delete, select, text, update

from landyard import (
    Actor,
    Answered,
    Call,
    Download,
    Failure,
    Host,
    InvalidRequest,
    Method,
    Moment,
    NoContent,
    OutcomeUnknown,
    OverloadLimit,
    Prepared,
    Request,
    Result,
    Secret,
    hookimpl,
)
from landyard_safe_writes.repeats.errors import IdempotencyAnswerLost, IdempotencyKeyReused
from landyard_safe_writes.repeats.live_processes import Holders
from landyard_safe_writes.repeats.settings import RepeatSettings
from landyard_safe_writes.repeats.tables import KEY

log = structlog.get_logger()

OPTION = "idempotency_key"
End = Callable[[Result], Result]
_KEY = re.compile(r"[ -~]{1,255}")  # printable ASCII, because a header carries it
_MARGIN = timedelta(seconds=30)  # after the time limit plus this margin no process works on a call
_NAMES = ("user_id", "credential", "key", "method", "digest", "request_id", "made_at", "holder")
_ADD = Prepared(
    text(
        f"INSERT INTO repeats_key ({', '.join(_NAMES)})"  # noqa: S608 - constant names
        f" VALUES ({', '.join(f':{name}' for name in _NAMES)}) ON CONFLICT DO NOTHING"
    ).bindparams(bindparam("made_at", type_=Moment))
)
_OF_CALLER = (
    KEY.user_id == bindparam("of_user"),
    KEY.credential == bindparam("of_credential"),
    KEY.key == bindparam("of_key"),
)


class _EarlierCall(Struct, frozen=True):
    """The earlier call with a key."""

    method: str
    digest: str
    request_id: str
    made_at: datetime
    holder: str
    answer: str | None


class _Answer(Struct, frozen=True):
    """A stored answer; `body` is null if the answer was empty or has a `secret`."""

    body: Raw = Raw(b"null")
    empty: bool = False
    next: int | UnsetType = UNSET
    total: int | UnsetType = UNSET
    secret: bool = False


_FIND = Prepared(
    select(*(KEY[name] for name in _EarlierCall.__struct_fields__)).where(*_OF_CALLER),
    _EarlierCall,
)
_KEEP = Prepared(update(KEY.key.table).where(*_OF_CALLER).values(answer=bindparam("kept")))
_FORGET = Prepared(
    delete(KEY.key.table).where(*_OF_CALLER, KEY.request_id == bindparam("of_request"))
)


class Keys:
    """Implements the option `idempotency_key` for calls that write."""

    def __init__(self, host: Host) -> None:
        """Keep the host, for its database, clock and settings."""
        self._host = host
        # Calls of several transactions, by object identity, because a request id may be repeated.
        self._under_way: dict[int, Request] = {}
        self._holders = Holders(host.settings.data)

    @hookimpl
    def begin_call(self, call: Call, method: Method) -> dict[str, End] | None:
        """Answer a repeat, or arrange that the call's transaction stores its answer."""
        if OPTION not in call.request.options:
            return None
        sent_key = call.request.options[OPTION]
        key = None if sent_key is None or not method.writes else _read(sent_key)
        if key is None or call.rolls_back or OPTION in method.options:
            return {OPTION: lambda result: result}
        row = self._row(call, method, key)
        if method.slow or not method.transaction:
            row["holder"] = self._holders.mine
            return {OPTION: self._begin_apart(call, method, row)}
        if not _ADD.run(call.connection, **row):
            raise self._repeated(call, row, _FIND.first(call.connection, **_caller(row)))

        def keep(result: Result) -> Result:
            _KEEP.run(call.connection, **_caller(row), kept=self._written(method, result))
            return result

        return {OPTION: keep}

    @hookimpl
    def call_failed(
        self, request: Request, actor: Actor | None, method: Method | None, reply: Failure
    ) -> None:
        """Forget the key of a failed call of several transactions, so that it can be repeated."""
        key = request.options.get(OPTION)
        apart = method is not None and method.writes and (method.slow or not method.transaction)
        if actor is None or not apart or not isinstance(key, str):
            return
        was_under_way = self._under_way.pop(id(request), None) is not None
        if not was_under_way or reply.error_description == OutcomeUnknown.text:
            return  # refused because of another call, or it may have run
        row = {"user_id": actor.user_id, "credential": actor.credential, "key": _plain(key)}
        self._apart(
            lambda connection: _FORGET.run(connection, **_caller(row), of_request=request.id)
        )

    def _begin_apart(self, call: Call, method: Method, row: dict[str, Any]) -> End:
        """Store the key of a call of several transactions in a transaction before it."""

        def begin(connection: Connection) -> _EarlierCall | None:
            if _ADD.run(connection, **row):
                return None
            earlier = _FIND.first(connection, **_caller(row))
            assert earlier is not None
            return earlier

        runs_again = id(call.request) in self._under_way  # the call is being run again
        self._under_way[id(call.request)] = call.request
        if not runs_again and (earlier := self._apart(begin)):
            del self._under_way[id(call.request)]
            is_mine = (earlier.method, earlier.digest) == (row["method"], row["digest"])
            if is_mine and earlier.answer is None:
                raise self._unanswered(call, method, earlier)
            raise self._repeated(call, row, earlier)

        def keep(result: Result) -> Result:
            del self._under_way[id(call.request)]
            try:
                answer = self._written(method, result)
            except InvalidRequest:  # the call has run: a repeat gets IDEMPOTENCY_ANSWER_LOST
                return result
            self._apart(lambda connection: _KEEP.run(connection, **_caller(row), kept=answer))
            return result

        return keep

    def _unanswered(self, call: Call, method: Method, earlier: _EarlierCall) -> Exception:
        """Return the error for a repeat of an unanswered call: under way, or its answer lost."""
        limit = timedelta(seconds=method.seconds or 0) + _MARGIN
        remaining = earlier.made_at + limit - call.now()
        ahead = remaining > limit + Moment.clocks_differ  # a clock was wrong
        if ahead or remaining <= timedelta() or self._holders.is_gone(earlier.holder):
            return IdempotencyAnswerLost()
        seconds = math.ceil(remaining.total_seconds())
        is_own = earlier.request_id in {each.id for each in [*self._under_way.values()]}
        if is_own or self._holders.works(earlier.holder):
            return OverloadLimit("A call with this key is under way; try again in a moment.")
        return OverloadLimit(
            "A call with this key is under way, or its process has ended: try again in"
            f" {seconds} seconds.",
            retry_after=seconds,
        )

    def close(self) -> None:
        """Remove the file that shows that this process is alive."""
        self._holders.close()

    def _apart(self, work: Callable[[Connection], Any]) -> Any:
        return self._host.store.run(lambda unit: work(unit.connection), writes=True)

    def _row(self, call: Call, method: Method, key: str) -> dict[str, Any]:
        # A digest of secret parameters is not stored: weak passwords could be guessed from it.
        params = {} if Secret in method.notes else call.request.params
        encoded = msgspec.json.encode(params, order="deterministic", enc_hook=repr)
        return {
            "user_id": call.actor.user_id,
            "credential": call.actor.credential,
            "key": key,
            "method": method.name,
            "digest": hashlib.sha256(encoded).hexdigest(),
            "request_id": call.request.id,
            "made_at": call.now(),
            "holder": "",
        }

    def _repeated(self, call: Call, row: dict[str, Any], earlier: _EarlierCall | None) -> Exception:
        """Return the exception for a repeat: the first call's answer, or a refusal."""
        if earlier is None:  # removed or rolled back since the insert was tried
            return OverloadLimit("The key was just released; send the call again.")
        if earlier.method != row["method"]:
            return IdempotencyKeyReused(
                f"The key was used for a call of {earlier.method}: make a new one for each call."
            )
        if earlier.digest != row["digest"]:
            return IdempotencyKeyReused(
                "The key was used with other parameters: make a new one for each call."
            )
        assert earlier.answer is not None
        stored = msgspec.json.decode(earlier.answer, type=_Answer)
        if stored.secret:
            return IdempotencyAnswerLost(
                f"The request {earlier.request_id} has done it. Its parameters or answer have a"
                " secret, which is not stored: revert what it made, then use another key."
            )
        log.info("call_repeated", first_request_id=earlier.request_id)
        call.warn(f"repeated: this is the answer of the request {earlier.request_id}")
        return Answered(
            Result(NoContent() if stored.empty else stored.body, stored.next, stored.total)
        )

    def _written(self, method: Method, result: Result) -> str:
        """Encode an answer for storage; raises `InvalidRequest` if it cannot be stored."""
        if Secret in method.notes:
            return msgspec.json.encode(_Answer(secret=True)).decode()
        most = self._host.section(RepeatSettings).answer_bytes
        if isinstance(result.body, Download):
            why = "is a file, which is not"
        else:
            empty = isinstance(result.body, NoContent)
            body = result.body if isinstance(result.body, Raw) else Raw(b"null")
            answer = msgspec.json.encode(_Answer(body, empty, result.next, result.total)).decode()
            if len(answer) <= most:
                return answer
            why = f"is larger than the {most} bytes that are"
        raise InvalidRequest(
            f"The answer {why} stored with an idempotency key, and nothing was done: call without."
        )


def _read(sent_key: object) -> str:
    if not isinstance(sent_key, str) or not _KEY.fullmatch(key := _plain(sent_key)):
        raise InvalidRequest(
            "An idempotency key is 1 to 255 printable characters of ASCII, such as a UUID."
        )
    return key


def _plain(key: str) -> str:
    """Remove the quotes that a header may have around the key."""
    return key[1:-1] if len(key) > 1 and key[0] == key[-1] == '"' else key


def _caller(row: dict[str, Any]) -> dict[str, Any]:
    return {"of_user": row["user_id"], "of_credential": row["credential"], "of_key": row["key"]}

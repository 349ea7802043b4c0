"""Keys: a call with one is done once, and its answer is kept with what it wrote."""

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
from landyard_repeats.errors import IdempotencyAnswerLost, IdempotencyKeyReused
from landyard_repeats.holders import Holders
from landyard_repeats.settings import RepeatSettings
from landyard_repeats.tables import KEY

log = structlog.get_logger()

OPTION = "idempotency_key"
End = Callable[[Result], Result]
_KEY = re.compile(r"[ -~]{1,255}")  # printable ASCII, as a header carries it
_MARGIN = timedelta(seconds=30)  # behind the time limit of a call nobody works at it any more
_NAMES = ("user_id", "credential", "key", "method", "digest", "request_id", "made_at", "holder")
_ADD = Prepared(
    text(
        f"INSERT INTO repeats_key ({', '.join(_NAMES)})"  # noqa: S608 - names of ours
        f" VALUES ({', '.join(f':{name}' for name in _NAMES)}) ON CONFLICT DO NOTHING"
    ).bindparams(bindparam("made_at", type_=Moment))
)
_OF_CALLER = (
    KEY.user_id == bindparam("of_user"),
    KEY.credential == bindparam("of_credential"),
    KEY.key == bindparam("of_key"),
)


class _Found(Struct, frozen=True):
    """The call that was made with a key before."""

    method: str
    digest: str
    request_id: str
    made_at: datetime
    holder: str
    answer: str | None


class _Answer(Struct, frozen=True):
    """What is kept of an answer: no `body` where it was without one, or with a `secret`."""

    body: Raw = Raw(b"null")
    empty: bool = False
    next: int | UnsetType = UNSET
    total: int | UnsetType = UNSET
    secret: bool = False


_FIND = Prepared(
    select(*(KEY[name] for name in _Found.__struct_fields__)).where(*_OF_CALLER),
    _Found,
)
_KEEP = Prepared(update(KEY.key.table).where(*_OF_CALLER).values(answer=bindparam("kept")))
_FORGET = Prepared(
    delete(KEY.key.table).where(*_OF_CALLER, KEY.request_id == bindparam("of_request"))
)


class Keys:
    """Sees to the option `idempotency_key` of calls that write."""

    def __init__(self, host: Host) -> None:
        """Take the kernel, for its database, its clock and the settings."""
        self._host = host
        # Calls of several transactions, by their identity: what a caller sends may be another's.
        self._under_way: dict[int, Request] = {}
        self._holders = Holders(host.settings.data)

    @hookimpl
    def begin_call(self, call: Call, method: Method) -> dict[str, End] | None:
        """Answer a repeat, or have the answer kept in the transaction of the call."""
        if OPTION not in call.request.options:
            return None
        sent = call.request.options[OPTION]
        key = None if sent is None or not method.writes else _read(sent)
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
        """Forget the key of a call of several transactions, so that it can be tried again."""
        key = request.options.get(OPTION)
        apart = method is not None and method.writes and (method.slow or not method.transaction)
        if actor is None or not apart or not isinstance(key, str):
            return
        mine = self._under_way.pop(id(request), None) is not None
        if not mine or reply.error_description == OutcomeUnknown.text:
            return  # it was refused for another's sake; or it may be done
        row = {"user_id": actor.user_id, "credential": actor.credential, "key": _plain(key)}
        self._apart(
            lambda connection: _FORGET.run(connection, **_caller(row), of_request=request.id)
        )

    def _begin_apart(self, call: Call, method: Method, row: dict[str, Any]) -> End:
        """Note a call of several transactions before its first: it has none to keep the key in."""

        def begin(connection: Connection) -> _Found | None:
            if _ADD.run(connection, **row):
                return None
            found = _FIND.first(connection, **_caller(row))
            assert found is not None
            return found

        mine = id(call.request) in self._under_way  # and is run again
        self._under_way[id(call.request)] = call.request
        if not mine and (found := self._apart(begin)):
            del self._under_way[id(call.request)]
            is_mine = (found.method, found.digest) == (row["method"], row["digest"])
            if is_mine and found.answer is None:
                raise self._unanswered(call, method, found)
            raise self._repeated(call, row, found)

        def keep(result: Result) -> Result:
            del self._under_way[id(call.request)]
            try:
                answer = self._written(method, result)
            except InvalidRequest:  # it is done: a repeat is told that its answer was lost
                return result
            self._apart(lambda connection: _KEEP.run(connection, **_caller(row), kept=answer))
            return result

        return keep

    def _unanswered(self, call: Call, method: Method, found: _Found) -> Exception:
        """Say that a call is under way, or that nobody works at it any more."""
        limit = timedelta(seconds=method.seconds or 0) + _MARGIN
        left = found.made_at + limit - call.now()
        ahead = left > limit + Moment.clocks_differ  # of a clock that was wrong
        if ahead or left <= timedelta() or self._holders.is_gone(found.holder):
            return IdempotencyAnswerLost()
        seconds = math.ceil(left.total_seconds())
        mine = found.request_id in {each.id for each in [*self._under_way.values()]}
        if mine or self._holders.works(found.holder):
            return OverloadLimit("A call with this key is under way; ask again in a moment.")
        return OverloadLimit(
            "A call with this key is under way, or its process has ended: it is known which in"
            f" {seconds} seconds.",
            retry_after=seconds,
        )

    def close(self) -> None:
        """Let go of the file that says that this process is alive."""
        self._holders.close()

    def _apart(self, work: Callable[[Connection], Any]) -> Any:
        return self._host.store.run(lambda unit: work(unit.connection), writes=True)

    def _row(self, call: Call, method: Method, key: str) -> dict[str, Any]:
        # Weak passwords could be tried against a digest.
        params = {} if Secret in method.notes else call.request.params
        sent = msgspec.json.encode(params, order="deterministic", enc_hook=repr)
        return {
            "user_id": call.actor.user_id,
            "credential": call.actor.credential,
            "key": key,
            "method": method.name,
            "digest": hashlib.sha256(sent).hexdigest(),
            "request_id": call.request.id,
            "made_at": call.now(),
            "holder": "",
        }

    def _repeated(self, call: Call, row: dict[str, Any], found: _Found | None) -> Exception:
        """Say what a call with a used key comes to: the answer of the first one, or a refusal."""
        if found is None:  # swept, or taken back, between two looks
            return OverloadLimit("The key was just given up; ask again.")
        if found.method != row["method"]:
            return IdempotencyKeyReused(
                f"The key was used for a call of {found.method}: make a new one for each call."
            )
        if found.digest != row["digest"]:
            return IdempotencyKeyReused(
                "The key was used with other parameters: make a new one for each call."
            )
        assert found.answer is not None
        kept = msgspec.json.decode(found.answer, type=_Answer)
        if kept.secret:
            return IdempotencyAnswerLost(
                f"It was done by the request {found.request_id}. What is sent or answered has a"
                " secret, which is not kept: take back what that has made, then use another key."
            )
        log.info("call_repeated", first_request_id=found.request_id)
        call.warn(f"repeated: this is the answer of the request {found.request_id}")
        return Answered(Result(NoContent() if kept.empty else kept.body, kept.next, kept.total))

    def _written(self, method: Method, result: Result) -> str:
        """Write an answer to be kept; raises `InvalidRequest` for one that cannot be."""
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
            f"The answer {why} kept with an idempotency key, and nothing was done: call without."
        )


def _read(sent: object) -> str:
    if not isinstance(sent, str) or not _KEY.fullmatch(key := _plain(sent)):
        raise InvalidRequest(
            "An idempotency key is 1 to 255 printable characters of ASCII, such as a UUID."
        )
    return key


def _plain(key: str) -> str:
    """Take the quotes off that a header may have around its text."""
    return key[1:-1] if len(key) > 1 and key[0] == key[-1] == '"' else key


def _caller(row: dict[str, Any]) -> dict[str, Any]:
    return {"of_user": row["user_id"], "of_credential": row["credential"], "of_key": row["key"]}

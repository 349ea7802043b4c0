"""The errors that the kernel can answer with, by their codes, and exceptions that control a call.

The kernel's own codes (C13) may come out of any method and are marked `system`. Every other
code must be declared by the method that raises it (C11); plugins add theirs by subclassing
`CallError`.
"""

from collections.abc import Iterable
from typing import ClassVar


class CallError(Exception):
    """A failure that the caller is told about: a `code`, an HTTP `status` and a `text`.

    The text is for people and names what was wrong and what to do; it never carries internals.
    """

    code: ClassVar[str]
    text: ClassVar[str] = "The call failed."
    system: ClassVar[bool] = False
    status: int = 400
    retry_after: int | None = None  # in whole seconds, where to try again makes sense
    data: bytes | None = None  # JSON for programs, which is answered as `error_data`
    argument: str | None = None  # the parameter that was wrong, which is answered as `argument`

    def __init__(self, text: str | None = None) -> None:
        self.description = self.text if text is None else text
        super().__init__(self.description)


class Answered(Exception):
    """The call is answered with this `Result`, and nothing that it did is kept: no failure."""


class DeadlineExceeded(Exception):
    """The caller was told already that the time is up: nothing of the call is kept."""


class Undeclared(Exception):
    """A handler raised a code that its method does not declare (C11): a defect of the plugin."""


class Escaped(Exception):
    """A handler raised what is no `Exception`, such as `SystemExit`."""


class Postponed(Exception):
    """A call is to be made again so many `seconds` later; until then it takes no thread."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class _Unauthorized(CallError):
    """The credentials do not let this call in."""

    status = 401
    system = True


class NoAuthFound(_Unauthorized):
    code = "NO_AUTH_FOUND"
    text = "Wrong authorization data: the call carries no credentials."


class InvalidCredentials(_Unauthorized):
    code = "INVALID_CREDENTIALS"
    text = "The webhook is unknown, expired, switched off, or another user's."


class InvalidToken(_Unauthorized):
    code = "invalid_token"
    text = "The access token is not known here."


class ExpiredToken(_Unauthorized):
    code = "expired_token"
    text = "The access token provided has expired."


class InsufficientScope(_Unauthorized):
    code = "insufficient_scope"
    text = "The credentials do not have the permission scope of this method."


class UserAccessError(CallError):
    code = "user_access_error"
    status = 403
    system = True
    text = "The user does not have access to the application."


class MethodNotFound(CallError):
    """The method is unknown or switched off; the caller cannot tell which."""

    code = "ERROR_METHOD_NOT_FOUND"
    status = 404
    system = True
    text = "There is no such method here; `methods` lists those there are."


class InvalidRequest(CallError):
    """The request cannot be read (C3), or is larger than the service takes (413)."""

    code = "INVALID_REQUEST"
    system = True
    text = "The request cannot be read."

    def __init__(self, text: str | None = None, *, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


class _ComeBackLater(CallError):
    """A refusal that tells when to try again."""

    system = True
    retry_after: int

    def __init__(self, text: str | None = None, *, retry_after: int = 1) -> None:
        super().__init__(text)
        self.retry_after = retry_after


class OperationTimeLimit(_ComeBackLater):
    code = "OPERATION_TIME_LIMIT"
    status = 429
    text = "Method is blocked due to operation time limit."


class QueryLimitExceeded(_ComeBackLater):
    code = "QUERY_LIMIT_EXCEEDED"
    status = 503
    text = "Too many requests."


class OverloadLimit(_ComeBackLater):
    code = "OVERLOAD_LIMIT"
    status = 503
    text = "The service is busy; try again in a moment."


class Busy(OverloadLimit):
    text = "The database is busy; try again in a moment."


class Unavailable(OverloadLimit):
    """The database cannot be reached, or was lost; `__cause__` says how."""

    text = "The database cannot be reached; try again in a moment."


class OutcomeUnknown(Unavailable):
    """The database was lost while it committed."""

    text = "The database was lost as the call ended: it may be done. Look before you call again."


class InternalServerError(CallError):
    code = "INTERNAL_SERVER_ERROR"
    status = 500
    system = True
    text = "Internal server error. The log has the details under this request id."


class MissingParams(CallError):
    """Required parameters are absent; all of them are named (C8)."""

    code = "MISSING_PARAMS"
    text = "Not enough call parameters."

    @classmethod
    def named(cls, names: Iterable[str]) -> "MissingParams":
        return cls(f"Not enough call parameters, missing: {', '.join(names)}")


_NOTHING = object()
_MOST_SHOWN = 40  # characters


def _shown(value: object) -> str:
    if isinstance(value, str):
        return f"'{value[:_MOST_SHOWN]}{'…' * (len(value) > _MOST_SHOWN)}'"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, int | float):
        return f"{value}" if abs(value) < 10**_MOST_SHOWN else "a number too large"
    return "an array" if isinstance(value, list) else "an object"


class WrongType(CallError):
    """A parameter has a type the method cannot use (C10)."""

    code = "TYPE_ERROR"
    text = "A parameter has the wrong type."
    wanted = ""  # the text of `of` without what came, as C10 has it
    parameter = ""  # the name of the parameter, such as `fields.TITLE`

    @classmethod
    def of(cls, parameter: str, expected: str, came: object = _NOTHING) -> "WrongType":
        """Say that `parameter` must be `expected`, e.g. `lid`, `an integer`, and what came."""
        wanted = f"Parameter '{parameter}' must be {expected}."
        error = cls(wanted if came is _NOTHING else f"{wanted} It was {_shown(came)}.")
        error.wanted, error.parameter = wanted, parameter
        return error

    def plain(self) -> "WrongType":
        """Say the same without what came."""
        error = WrongType(self.wanted or self.description)
        error.parameter = self.parameter
        return error


class SystemFailure(CallError):
    """A crash inside a handler becomes this where the method declares `SYSTEM_ERROR` (C11)."""

    code = "SYSTEM_ERROR"
    text = "Internal failure. The log has the details under this request id."

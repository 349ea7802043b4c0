"""Writes log events as JSON lines or as text for people, with every secret blanked."""

import functools
import logging
import re
import sys
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, TextIO

import msgspec
import structlog

from landyard.core.calls import Success
from landyard.core.hook_calls import Outcome
from landyard.logs.stream import LogStream

log = structlog.get_logger()

SECRET_KEYS = frozenset({"authorization", "auth", "code", "cookie", "secret", "token"})
# Secrets made by Landyard, also when their end was cut off.
_OURS = re.compile(r"(ly[wt]_)[A-Za-z0-9_-]{8,}")
# A secret that an operator or a plugin may have chosen, see `hidden`.
_CHOSEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,}")
_SECRET_PARAMETER = re.compile(
    r"((?:^|(?<=&))[^=&]*(?:key|password|secret|token))=[^&]+", re.IGNORECASE
)
_MOST = 300  # characters of a reason
_LONG = frozenset({"exc_info", "exception", "stack", "logger", "logger_name"})
_QUOTED = re.compile("[ \\t=\\r\\n\"']")  # a value with one of these is quoted
hidden: ContextVar[tuple[str, bool]] = ContextVar("hidden", default=("", False))
"""A secret that is written as "…" in what this thread logs, and whether in every line.

Lines with a traceback are always cleaned, because the text of an exception may quote the secret.
Other lines are cleaned only for accepted credentials: a stranger could send any word as a secret,
and would thereby remove it from the log. A text that cannot be a secret (too short, other
characters) stays.
"""
about: ContextVar[Mapping[str, str]] = ContextVar("about", default=MappingProxyType({}))
"""The work under way: request_id, plugin, method, page, job. Every event of the work has these.

A thread of a pool, and a hook behind an answer, have the values of the work that they belong to.
"""


def configure(level: str = "info", style: str = "console", stream: TextIO | None = None) -> None:
    """Send the events of structlog and of the standard library to one stream, in one `style`."""

    def tell_lost(lines: int) -> str:
        event: Any = {"event": "log_lines_lost", "lines": lines}
        for process in (*shared, render):
            event = process(None, "warning", event)
        return f"{event}\n"

    out = stream or _standard_error(tell_lost)
    shared: list[Any] = [
        add_about,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        drop_secrets,
    ]
    if style == "json":
        # Locals stay out: they hold requests, and requests hold secrets.
        trace = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        renders: tuple[Any, ...] = (structlog.processors.ExceptionRenderer(trace), _write_json)
    else:
        plain = structlog.dev.plain_traceback
        console = structlog.dev.ConsoleRenderer(colors=out.isatty(), exception_formatter=plain)
        renders = (console if out.isatty() else functools.partial(_write_plain, console),)
    render = functools.partial(_write_blanked, renders)
    threshold = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[*shared, render],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        # Text and line end in one write: workers share the stream, which may be unbuffered.
        logger_factory=structlog.WriteLoggerFactory(out),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(out)
    formatter = structlog.stdlib.ProcessorFormatter
    processors: list[Any] = [formatter.remove_processors_meta, render]
    handler.setFormatter(formatter(foreign_pre_chain=shared, processors=processors))
    logging.basicConfig(handlers=[handler], level=threshold, force=True)
    # Landyard's own events say the same without statements and addresses.
    for name in ("sqlalchemy", "alembic", "uvicorn", "httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _standard_error(tell_lost: Callable[[int], str]) -> Any:
    """Return where lines go: standard error, without ever waiting for it."""
    try:
        # None where it was closed when Python started: the command line has opened nothing there.
        return LogStream(sys.stderr.fileno() if sys.stderr else 2, tell_lost)
    except OSError:  # it is no file, but what a test has put there
        return sys.stderr


def add_about(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> dict[str, Any]:
    """Add the fields of `about` to an event, but for those that the event has itself.

    A structlog processor, as `drop_secrets` is.
    """
    return {**event, **about.get(), **event}


def drop_secrets(_logger: Any, _name: str, event: dict[str, Any]) -> dict[str, Any]:
    """Replace the values of an event's `SECRET_KEYS` by `…`."""
    for key in event.keys() & SECRET_KEYS:
        event[key] = "…"
    return event


def _write_json(logger: Any, name: str, event: Any) -> str:
    try:
        return msgspec.json.encode(event, enc_hook=repr).decode()
    except (ValueError, OverflowError):  # half of a character, a number of more than 64 bits
        return str(structlog.processors.JSONRenderer()(logger, name, event))


def _write_plain(console: Any, logger: Any, name: str, event: Any) -> str:
    """Write what `console` would, in a tenth of its time."""
    if event.keys() & _LONG:
        return str(console(logger, name, event))
    first = f"{event.pop('timestamp')} [{event.pop('level'):<9}] {event.pop('event'):<30} "
    told = [f"{key}={_plain_value(event[key])}" for key in sorted(event)]
    return (first + " ".join(told)).rstrip(" ")


def _plain_value(value: object) -> str:
    return value if isinstance(value, str) and not _QUOTED.search(value) else repr(value)


def _write_blanked(render: Iterable[Any], logger: Any, name: str, event: Any) -> str:
    """Render an event by these in turn, and blank secrets in the line that results."""
    crash = bool(event.get("exc_info"))
    for each in render:
        event = each(logger, name, event)
    return blanked(event, quoting=crash)


def blanked(text: str, *, quoting: bool) -> str:
    """Blank the secrets in a text; `quoting` says that it may hold an exception's."""
    secret, everywhere = hidden.get()
    if (quoting or everywhere) and _CHOSEN.fullmatch(secret):
        text = text.replace(secret, "…")
    return _OURS.sub(r"\1…", text)


def without_secrets(url: str) -> str:
    """Blank the password of a URL, and the parameters that are named as secrets are."""
    head, mark, query = url.partition("?")
    head = re.sub(r"://([^/?#@:]*):[^/?#]*@", r"://\1:…@", head)
    return head + mark + _SECRET_PARAMETER.sub(r"\1=…", query)


def fit(text: str) -> str:
    """Make one printable line of a reason: at most 300 characters, no control characters."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= _MOST else f"{line[: _MOST - 1]}…"


def path_of(path: str, status: int) -> str:
    """Return a request's path for the log: one line, without what may be a secret.

    If the answer's `status` is an error, a path's parts of 16 and more characters become `…`: the
    client may have mistyped a webhook's address, which contains a secret.
    """
    if not (200 <= status < 300 or status == 304):
        path = re.sub(r"[^/]{16,}", "…", path)
    return fit(path)


def visible(text: str) -> str:
    """Replace control characters, which a terminal would obey; lines and tabs stay."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each in "\n\t" else "\ufffd" for each in text)


def log_call(outcome: Outcome) -> None:
    """Log the end of a call: `call_answered`, `call_failed`, or `call_crashed` with a traceback."""
    reply = outcome.reply
    if isinstance(reply, Success):
        log.debug("call_answered", **_described(outcome))
    elif outcome.crash is None:
        log.info("call_failed", error=reply.error, **_described(outcome))
    else:
        log.error("call_crashed", error=reply.error, exc_info=outcome.crash, **_described(outcome))


def _described(outcome: Outcome) -> dict[str, Any]:
    request, actor, method, reply = outcome.request, outcome.actor, outcome.method, outcome.reply
    return {
        # A name is logged once it is a method's: at `/rest/<code>` the secret stands in its place.
        "method": method.name if method else None,
        "plugin": method.plugin if method else None,
        "user": actor.user_id if actor else None,
        "credential": actor.credential if actor else None,
        "address": request.address or None,
        "status": reply.status,
        "seconds": reply.time.duration,
        "request_id": request.id,
    }

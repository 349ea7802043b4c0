"""Logs: events as JSON lines or for people; neither secrets nor bound values appear in them."""

import logging
import re
import sys
from contextvars import ContextVar
from typing import Any, TextIO

import structlog

_SECRET_KEYS = frozenset({"authorization", "auth", "code", "cookie", "secret", "token"})
# Those we make, also where somebody cut the end off; and what others may choose, see `hide`.
_OURS = re.compile(r"(ly[wt]_)[A-Za-z0-9_-]{8,}")
_CHOSEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,}")
_hidden: ContextVar[tuple[str, bool]] = ContextVar("hidden", default=("", False))


def configure(level: str = "info", style: str = "console", stream: TextIO | None = None) -> None:
    """Send structlog's and the standard library's events to one place, in one `style`."""
    out = stream or sys.stderr
    shared: list[Any] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        drop_secrets,
    ]
    render: list[Any]
    if style == "json":
        # Locals stay out: they hold requests, and requests hold secrets.
        trace = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        render = [
            structlog.processors.ExceptionRenderer(trace),
            structlog.processors.JSONRenderer(),
        ]
    else:
        plain = structlog.dev.plain_traceback
        console = structlog.dev.ConsoleRenderer(colors=out.isatty(), exception_formatter=plain)
        render = [console]
    render = [Blanked(*render)]
    threshold = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[*shared, *render],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.PrintLoggerFactory(out),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render],
        )
    )
    logging.basicConfig(handlers=[handler], level=threshold, force=True)
    # Our own events say it better, and without statements and addresses.
    for name in ("sqlalchemy", "alembic", "uvicorn", "httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)


def drop_secrets(_logger: Any, _name: str, event: dict[str, Any]) -> dict[str, Any]:
    """Blank the values of keys that name secrets."""
    for key in event.keys() & _SECRET_KEYS:
        event[key] = "…"
    return event


def hide(secret: str, *, everywhere: bool = False) -> None:
    """Blank `secret` in what is logged from now on in this thread; and no other.

    The text of an exception may hold what a handler knew. Lines that are about no crash are blanked
    `everywhere`, for who was let in with it: of a stranger's word for a secret they are not the
    place to be edited by. What is shorter than a secret may be, or has marks that would be written
    otherwise, is none and stays.
    """
    _hidden.set((secret, everywhere))


class Blanked:
    """Writes a line, and blanks the secrets in it: ours, and the one that is hidden now."""

    def __init__(self, *render: Any) -> None:
        """Write lines with these processors, of which the last one answers text."""
        self._render = render

    def __call__(self, logger: Any, name: str, event: Any) -> str:
        crash = bool(event.get("exc_info"))
        for render in self._render:
            event = render(logger, name, event)
        line: str = event
        secret, everywhere = _hidden.get()
        if (crash or everywhere) and _CHOSEN.fullmatch(secret):
            line = line.replace(secret, "…")
        return _OURS.sub(r"\1…", line)

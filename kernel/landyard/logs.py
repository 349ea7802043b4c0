"""Logs: events as JSON lines or for people; neither secrets nor bound values appear in them."""

import logging
import sys
from typing import Any, TextIO

import structlog

_SECRET_KEYS = frozenset({"authorization", "auth", "code", "cookie", "secret", "token"})


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
        render = [structlog.dev.ConsoleRenderer(colors=out.isatty(), exception_formatter=plain)]
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

"""Checks of behaviour: calls a plugin's methods, runs its jobs, and builds its pages."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from landyard.authoring.checks.findings import Finding, failure
from landyard.authoring.checks.subject import Subject
from landyard.core.errors import InternalServerError, MissingParams, WrongType
from landyard.core.methods import Method
from landyard.plugin_host.loading import described
from landyard.storage.store import WriteRefused
from landyard.testing import Service, WrongResult

_LIMIT = 30.0  # seconds that a call may take, unless its method says otherwise
_MOST = 3  # findings about one method: as a rule further ones have the same cause
_DEEP: Any = {"a": [{"b": [{"c": []}]}]}
_WRITES = "writes to the database: declare the method with writes=True"
_ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**31, 2**63, -(2**70), 1.5, 1e308, "", "0", "-1", " ", "null", "true"),
    *("x" * 10_000, "\x00", "\U0001f6a2\u202e", "<b>'\";--", [], {}, [[]], [None], ["x"], _DEEP),
)


def examples(subject: Subject) -> Iterator[Finding]:
    """Call each method with its example, each in a fresh service."""
    database = subject.folder / "examples.db"
    with subject.service(database):
        pass  # makes the tables, once
    for number, method in enumerate(subject.methods):
        if method.example is None:
            continue
        fresh = Path(shutil.copy(database, subject.folder / f"example{number}.db"))
        with subject.service(fresh) as service:
            error, findings = _called(method, method.example.params, service, subject)
        yield from findings
        if error in {MissingParams.code, WrongType.code}:
            yield failure(f"{method.name}: its example is answered {error}")
        elif error is not None and not findings:
            told = f"its example is answered {error} where nobody has written anything yet"
            yield Finding("warning", f"{method.name}: {told}")


def odd_values(subject: Subject) -> Iterator[Finding]:
    """Call each method with odd values, in one parameter at a time and in all at once."""
    with subject.service() as service:
        for method in subject.methods:
            findings: list[Finding] = []
            for params in _provocations(method):
                findings += _called(method, params, service, subject)[1]
                if len(findings) >= _MOST:
                    break
            yield from findings


def jobs(subject: Subject) -> Iterator[Finding]:
    """Do the periodic work twice, as may happen to it."""
    with subject.service() as service:
        for job in subject.brought.jobs:
            for turn in ("", ", run again,"):
                subject.doing(job.name, job.every.total_seconds() or _LIMIT)
                try:
                    job.work(service.kernel)
                except Exception as error:  # noqa: BLE001 - it is told
                    yield failure(f"{job.name}{turn} raised {described(error)}")
                    break


def pages(subject: Subject) -> Iterator[Finding]:
    """Build the public pages."""
    if not hasattr(subject.brought.plugin.module, "register_routes"):
        return
    from landyard.web.edge import web_app  # slow to import

    with subject.service() as service:
        try:
            web_app(service.kernel)
        except Exception as error:  # noqa: BLE001 - it is told
            yield failure(f"its pages cannot be built: {described(error)}")


def _provocations(method: Method) -> Iterator[Mapping[str, Any]]:
    usual = dict(method.example.params) if method.example else {}
    names = [field.encode_name for field in msgspec.structs.fields(method.params)]
    yield {}
    yield {"no_such_parameter": _DEEP}
    for value in _ODD:
        for name in names:
            yield {**usual, name: value}
        yield dict.fromkeys(names, value)


def _called(
    method: Method, params: Mapping[str, Any], service: Service, subject: Subject
) -> tuple[str | None, list[Finding]]:
    """Call a method; return the code it answered, if any, and what was wrong with the call."""
    text = msgspec.json.encode(params).decode()
    where = f"{method.name} with {text if len(text) <= 60 else f'{text[:60]}…'}"
    service.crashes.clear()
    subject.doing(where, method.seconds or _LIMIT)
    try:
        error = service.call(method.name, params).error
    except WrongResult as wrong:
        return None, [failure(f"{where}: {wrong}")]
    if service.crashes:
        crash = service.crashes[0]
        reason = _WRITES if isinstance(crash, WriteRefused) else f"raised {described(crash)}"
        return error, [failure(f"{where} {reason}")]
    if error == InternalServerError.code:
        return error, [failure(f"{where} is answered {error}")]
    return error, []

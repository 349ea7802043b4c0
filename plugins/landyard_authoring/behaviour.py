"""Checks that run a plugin: call its methods, run its jobs, and build its pages."""

import importlib.util
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from landyard import Method, MissingParams, WriteRefused, WrongType
from landyard.testing import Service, WrongResult
from landyard_authoring.findings import Finding, described, failure, warning
from landyard_authoring.name_clashes import routes
from landyard_authoring.subject import Subject

_LIMIT = 30.0  # seconds that a call may take, unless its method says otherwise
_MOST = 3  # findings per method; further ones mostly have the same cause
_DEEP: Any = {"a": [{"b": [{"c": []}]}]}
_CRASHED = "INTERNAL_SERVER_ERROR"
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
        place = subject.source.of_function(method.handler)
        if error in {MissingParams.code, WrongType.code}:
            reason = f"its example is answered {error}: correct its params"
            yield failure(f"{method.name}: {reason}", place)
        elif error is not None and not findings:
            reason = (
                f"its example is answered {error}, which it declares: there is no data for it yet;"
                " bring some by register_demo, so that it is tried, or leave it as it is"
            )
            yield warning(f"{method.name}: {reason}", place)


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
    """Run each periodic job twice, because a job may be repeated."""
    with subject.service() as service:
        for job in subject.contribution.jobs:
            for turn in ("", ", run again,"):
                subject.doing(job.name, job.every.total_seconds() or _LIMIT)
                try:
                    job.work(service.kernel)
                except Exception as error:  # noqa: BLE001 - it becomes a finding
                    place = subject.source.of_error(error) or subject.source.of_function(job.work)
                    reason = f"raised {described(error)}; its work takes the host, and is repeated"
                    yield failure(f"{job.name}{turn} {reason}", place)
                    break


def pages(subject: Subject) -> Iterator[Finding]:
    """Build the public pages, and get those whose address has no parameters (needs httpx)."""
    source = subject.source
    with subject.service() as service:
        contribution = service.contributions[-1]
        if not contribution.asked.hook.register_routes.get_hookimpls():
            return
        try:
            every = service.routes(contribution)
            if wrong := list(routes(subject, every)):
                yield from wrong
                return
            _ = service.web_app
        except Exception as error:  # noqa: BLE001 - it becomes a finding
            place = source.of_error(error) or source.of_text(str(error)) or source.start
            yield failure(f"its pages cannot be built: {described(error)}", place)
            return
        if importlib.util.find_spec("httpx") is not None:
            for route in every:
                yield from _got(route, service, subject)


def _got(route: Any, service: Service, subject: Subject) -> Iterator[Finding]:
    for path in sorted(route.paths):
        if "{" not in path and "GET" in route.http_methods:
            subject.doing(f"the page {path}", _LIMIT)
            service.get(path)
            while service.crashes:
                crash = service.crashes.pop()
                place = subject.source.of_error(crash) or subject.source.of_function(route.fn)
                yield failure(f"the page {path} raised {described(crash)}", place)


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
    """Call a method; return its error code, if any, and findings about the call."""
    text = msgspec.json.encode(params).decode()
    where = f"{method.name} with {text if len(text) <= 60 else f'{text[:60]}…'}"
    place = subject.source.of_function(method.handler)
    service.crashes.clear()
    subject.doing(where, method.seconds or _LIMIT)
    try:
        error = service.call(method.name, params).error
    except WrongResult as wrong:
        return None, [failure(f"{where}: {wrong}; correct its annotation, or its result", place)]
    if service.crashes:
        crash = service.crashes[0]
        place = subject.source.of_error(crash) or place
        return error, [failure(f"{where} {_explained(crash)}", place)]
    if error == _CRASHED:
        return error, [failure(f"{where} is answered {error}", place)]
    return error, []


def _explained(crash: Exception) -> str:
    """Describe an exception of a handler, with advice."""
    description = described(crash)
    if isinstance(crash, WriteRefused):
        return "writes to the database: declare the method with writes=True"
    if type(crash).__name__ == "Undeclared":
        return f"raised {description}: name the error in errors=[…]"
    if isinstance(crash, TypeError) and "Encoding" in description:
        return f"raised {description}: return a Struct, or plain data"
    return f"raised {description}: answer it with an error that the method declares"

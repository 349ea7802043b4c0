"""How a plugin behaves: calls of its methods, strangers, its jobs and its pages."""

import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from landyard.checks.findings import Finding, failure, warning
from landyard.checks.subject import STRANGER, Subject
from landyard.discovery import HOST, found
from landyard.errors import InternalServerError, InvalidCredentials, MissingParams, WrongType
from landyard.methods import Method
from landyard.plugins import described, import_plugin
from landyard.testing import Answer, Service, WrongResult

_LIMIT = 30.0  # seconds that a service gives a call, unless somebody says otherwise
_AT_ONCE = 1.0  # seconds that a call may take before it is worth a word
_MOST = 3  # findings of a kind about one method: the next are of the same cause, as a rule
_DEEP: Any = {"a": [{"b": [{"c": []}]}]}
_ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**31, 2**63, -(2**70), 1.5, 1e308, "", "0", "-1", " ", "null", "true"),
    *("x" * 10_000, "\x00", "\U0001f6a2\u202e", "<b>'\";--", [], {}, [[]], [None], ["x"], _DEEP),
)


def examples(subject: Subject) -> Iterator[Finding]:
    """Call each method as its example does, each in a service that nobody has used yet."""
    database = subject.folder / "examples.db"
    with subject.service(database):
        pass  # makes the tables, once
    for number, method in enumerate(subject.methods):
        if method.example is None:
            continue
        fresh = Path(shutil.copy(database, subject.folder / f"example{number}.db"))
        with subject.service(fresh) as service:
            yield from _example(method, method.example.params, service, subject)


def odd_values(subject: Subject) -> Iterator[Finding]:
    """Call each method with what no client should send, one parameter at a time and all at once."""
    with subject.service() as service:
        for method in subject.methods:
            found = 0
            for params in _provocations(method):
                for finding in _provoked(method, params, service, subject):
                    yield finding
                    found += 1
                if found >= _MOST:
                    break


def strangers(subject: Subject) -> Iterator[Finding]:
    """Show a credential that nobody has given out."""
    with subject.service() as service:
        started = time.perf_counter()
        answer = service.call("landyard.nothing", webhook=STRANGER)
        # Of a method that is not there only those are told who have been let in.
        if answer.error != InvalidCredentials.code:
            told = answer.error or "a result"
            yield failure("strangers", f"a webhook that nobody knows is answered {told}")
        yield from _slow("strangers", "to refuse a stranger", started)


def jobs(subject: Subject) -> Iterator[Finding]:
    """Do the periodic work twice, as it may happen to it."""
    with subject.service() as service:
        for job in subject.brought.jobs:
            for turn in ("", ", run again,"):
                subject.doing(job.name, job.every.total_seconds() or _LIMIT)
                try:
                    job.work(service.kernel)
                except Exception as error:  # noqa: BLE001 - it is told
                    yield failure("work", f"{job.name}{turn} raised {described(error)}")
                    break


def company(subject: Subject) -> Iterator[Finding]:
    """Start beside Landyard's own plugins: no two may bring a method of one name."""
    mine = {subject.plugin.name, *(other.plugin.name for other in subject.others)}
    ours = [each for each in found() if each.distribution == HOST and each.name not in mine]
    plugins = [import_plugin(each) for each in ours]
    plugins += [*(other.plugin for other in subject.others), subject.plugin]
    with Service(plugins, strict=False) as service:
        for state in service.kernel.report:
            if state.name == subject.plugin.name and state.state != "enabled":
                yield failure(
                    "company", f"beside Landyard's own plugins it is {state.state}: {state.reason}"
                )


def pages(subject: Subject) -> Iterator[Finding]:
    """Build the public pages."""
    if not subject.has("register_routes"):
        return
    from landyard.web import web_app  # slow to import

    with subject.service() as service:
        try:
            web_app(service.kernel)
        except Exception as error:  # noqa: BLE001 - it is told
            yield failure("pages", f"its pages cannot be built: {described(error)}")


def _example(
    method: Method, params: Mapping[str, Any], service: Service, subject: Subject
) -> Iterator[Finding]:
    started = time.perf_counter()
    answer, finding = _asked("examples", method, params, service, subject)
    if finding is not None:
        yield finding
    elif answer is not None and answer.error in {MissingParams.code, WrongType.code}:
        yield failure("examples", f"{method.name}: its example is answered {answer.error}")
    elif answer is not None and answer.error is not None:
        told = f"its example is answered {answer.error} where nobody has written anything yet"
        yield warning("examples", f"{method.name}: {told}")
    yield from _slow("examples", method.name, started)


def _provocations(method: Method) -> Iterator[Mapping[str, Any]]:
    usual = dict(method.example.params) if method.example else {}
    names = [field.encode_name for field in msgspec.structs.fields(method.params)]
    yield {}
    yield {"no_such_parameter": _DEEP}
    for value in _ODD:
        for name in names:
            yield {**usual, name: value}
        yield dict.fromkeys(names, value)


def _provoked(
    method: Method, params: Mapping[str, Any], service: Service, subject: Subject
) -> Iterator[Finding]:
    started = time.perf_counter()
    _, finding = _asked("odd values", method, params, service, subject)
    if finding is not None:
        yield finding
    yield from _slow("odd values", f"{method.name} with {_shown(params)}", started)


def _asked(
    check: str, method: Method, params: Mapping[str, Any], service: Service, subject: Subject
) -> tuple[Answer | None, Finding | None]:
    """Call a method: its answer, or what is wrong with that."""
    where = f"{method.name} with {_shown(params)}"
    service.crashes.clear()
    subject.doing(where, method.seconds or _LIMIT)
    try:
        answer = service.call(method.name, params)
    except WrongResult as wrong:
        return None, failure(check, f"{where}: {wrong}")
    if service.crashes:
        return answer, failure(check, f"{where} raised {described(service.crashes[0])}")
    if answer.error == InternalServerError.code:
        return answer, failure(check, f"{where} is answered {answer.error}")
    return answer, None


def _slow(check: str, what: str, started: float) -> Iterator[Finding]:
    taken = time.perf_counter() - started
    if taken > _AT_ONCE:
        yield warning(check, f"{what} took {taken:.1f} s")


def _shown(params: Mapping[str, Any]) -> str:
    text = msgspec.json.encode(params).decode()
    return text if len(text) <= 60 else f"{text[:60]}…"

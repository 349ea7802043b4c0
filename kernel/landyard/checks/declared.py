"""What a plugin declares: its hooks, methods, settings and jobs."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import msgspec
from msgspec import Struct

from landyard import errors, hookspecs
from landyard.checks.findings import Finding, failure, warning
from landyard.checks.subject import Subject
from landyard.discovery import GROUP
from landyard.errors import CallError
from landyard.methods import Method
from landyard.testing import misfit

_METHOD = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*")
_HOOKS = {name for name, spec in vars(hookspecs).items() if hasattr(spec, f"{GROUP}_spec")}
_OURS = {
    error.code: error
    for error in vars(errors).values()
    if isinstance(error, type) and issubclass(error, CallError) and hasattr(error, "code")
}


def hooks(subject: Subject) -> Iterator[Finding]:
    """Look for hooks that nobody calls."""
    module = subject.plugin.module
    answered = [name for name in dir(module) if _is_hook(getattr(module, name, None))]
    if not answered:
        yield failure("hooks", "it answers no hook: mark its functions with @landyard.hookimpl")
    for name in sorted(_HOOKS - set(answered)):
        if callable(getattr(module, name, None)):
            yield failure("hooks", f"{name} is never called: mark it with @landyard.hookimpl")


def methods(subject: Subject) -> Iterator[Finding]:
    """Look at each method as it is declared."""
    for method in subject.methods:
        for finding in (*_name(method, subject), *_texts(method), *_result(method)):
            yield _of(method, finding)
        for error in sorted(method.errors, key=lambda each: each.code):
            yield from (_of(method, finding) for finding in _error(error))


def settings(subject: Subject) -> Iterator[Finding]:
    """See that the defaults are values that an operator could write."""
    for name, section in subject.brought.sections.items():
        try:
            msgspec.convert(msgspec.to_builtins(section), type(section))
        except (msgspec.ValidationError, TypeError) as error:
            yield failure("settings", f"the default of a setting in [{name}] is refused: {error}")
        if not (type(section).__doc__ or "").strip() or type(section).__doc__ == Struct.__doc__:
            yield warning("settings", f"[{name}] has no docstring, which is what operators read")


def jobs(subject: Subject) -> Iterator[Finding]:
    """Look at the periodic work as it is declared."""
    for job in subject.brought.jobs:
        if job.every <= timedelta(0):
            yield failure("jobs", f"{job.name} is due every {job.every}: that is always")
        if not job.name.startswith(_prefixes(subject)):
            yield warning("jobs", f"{job.name}: begin the name with '{subject.plugin.name}.'")


def _is_hook(function: Any) -> bool:
    return getattr(function, f"{GROUP}_impl", None) is not None


def _name(method: Method, subject: Subject) -> Iterator[Finding]:
    if not _METHOD.fullmatch(method.name):
        yield warning("methods", "a name is small letters, digits and _, in parts between dots")
    if not method.scope:
        yield warning("methods", "it has no scope: every credential may call it")
    elif not method.name.startswith((f"{method.scope}.", *_prefixes(subject))):
        yield failure("methods", f"begin its name with '{method.scope}.', as its scope is called")


def _prefixes(subject: Subject) -> tuple[str, ...]:
    names = {subject.plugin.name, *(method.scope for method in subject.methods if method.scope)}
    if subject.brought.tables is not None:
        names.add(subject.brought.tables.branch)
    return tuple(f"{name}." for name in names)


def _texts(method: Method) -> Iterator[Finding]:
    summary = method.doc.partition("\n")[0]
    if len(summary.split()) < 3:
        yield warning("methods", f"its docstring says no more than '{summary}'")
    if method.example is None:
        yield warning("methods", "it has no example: say example=Example(params, result)")
    if method.deprecated is not None and not method.deprecated.instead:
        yield warning("methods", "it is deprecated, and does not say what to call instead")


def _result(method: Method) -> Iterator[Finding]:
    if method.result is Any:
        yield failure("methods", "say what its handler returns: `-> list[str]`")
        return
    if method.example is not None and (wrong := misfit(method.example.result, method.result)):
        yield failure("methods", f"its example's result is not what it returns: {wrong}")


def _error(error: type[CallError]) -> Iterator[Finding]:
    ours = _OURS.get(error.code)
    if ours is not None and error is not ours:
        yield failure(
            "errors", f"{error.__name__} has the code {error.code}, which is the kernel's"
        )
    if error.text == CallError.text or not error.text.strip():
        yield failure("errors", f"{error.code} has no text: say what was wrong and what to do")
    if not error.system and error.status != 400:
        yield warning("errors", f"{error.code} has the status {error.status}; clients know 400")


def _of(method: Method, finding: Finding) -> Finding:
    return msgspec.structs.replace(finding, reason=f"{method.name}: {finding.reason}")

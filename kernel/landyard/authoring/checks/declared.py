"""Checks of what a plugin declares: its hooks and methods."""

from collections.abc import Iterator
from typing import Any

from landyard.authoring.checks.findings import Finding, failure
from landyard.authoring.checks.subject import Subject
from landyard.core import hooks as hookspecs
from landyard.plugin_host.discovery import GROUP
from landyard.testing import misfit

_HOOKS = {name for name, spec in vars(hookspecs).items() if hasattr(spec, f"{GROUP}_spec")}


def hooks(subject: Subject) -> Iterator[Finding]:
    """Find functions that are named like hooks and not marked as such."""
    module = subject.brought.plugin.module
    answered = {name for name in dir(module) if _is_hook(getattr(module, name, None))}
    if not answered and not hasattr(module, "__all__"):  # that is what others import
        yield failure("it answers no hook: mark its functions with @landyard.hookimpl")
    for name in sorted(_HOOKS - answered):
        if callable(getattr(module, name, None)):
            yield failure(f"{name} is never called: mark it with @landyard.hookimpl")


def methods(subject: Subject) -> Iterator[Finding]:
    """Check that each method says what it returns, and that its example returns that."""
    for method in subject.methods:
        if method.result is Any:
            yield failure(f"{method.name}: say what its handler returns: `-> list[str]`")
        elif method.example is None:
            yield Finding("warning", f"{method.name}: it has no example that could be tried")
        elif wrong := misfit(method.example.result, method.result):
            yield failure(f"{method.name}: its example's result is not what it returns: {wrong}")


def _is_hook(function: Any) -> bool:
    return getattr(function, f"{GROUP}_impl", None) is not None

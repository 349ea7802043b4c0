"""Dry runs: a call runs, answers with its changes of rows, and is rolled back."""

from collections.abc import Iterable

from landyard import CallOption, hookimpl
from landyard_dry_runs.dry_run import OPTION, begin_call

call_options = ("dry_run",)

__all__: list[str] = []

hookimpl(begin_call)


@hookimpl
def register_call_options() -> Iterable[CallOption]:
    return [CallOption(OPTION, flag=True, rolls_back=True, answers=("dry_run", "changes"))]

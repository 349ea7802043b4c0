"""Dry runs: a call is made and answered with what it would change, and nothing of it is kept."""

from collections.abc import Iterable

from landyard import CallOption, hookimpl
from landyard_dry_runs.trying import OPTION, begin_call

call_options = ("dry_run",)

__all__: list[str] = []

hookimpl(begin_call)


@hookimpl
def register_call_options() -> Iterable[CallOption]:
    return [CallOption(OPTION, flag=True, rolls_back=True, answers=("dry_run", "changes"))]

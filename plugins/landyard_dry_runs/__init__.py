"""Dry runs: a call runs, answers with its changes of rows, and is rolled back."""

from landyard import hookimpl
from landyard_dry_runs.dry_run import begin_call

__all__: list[str] = []

hookimpl(begin_call)


@hookimpl
def register_call_options() -> Iterable[CallOption]:
    return [CallOption(OPTION, flag=True, rolls_back=True, answers=("dry_run", "changes"))]

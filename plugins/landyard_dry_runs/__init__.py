"""Dry runs: a call is made and answered with what it would change, and nothing of it is kept."""

from landyard import hookimpl
from landyard_dry_runs.trying import begin_call

__all__: list[str] = []

hookimpl(begin_call)

"""Methods for operators: list and switch plugins and methods; list jobs, settings, health.

All of them are for administrators whose credential has the scope `admin`. The plugins of users,
audit, limits and files have methods of this kind of their own.
"""

from collections.abc import Iterable

from landyard import Host, MethodGroup, hookimpl
from landyard_admin import health, jobs, methods, plugins, settings
from landyard_admin.group import Operator, admin

__all__ = ["health", "jobs", "methods", "plugins", "settings"]


@hookimpl
def register_hooks(host: Host) -> Operator:
    return Operator(host)


@hookimpl
def register_methods() -> MethodGroup:
    return admin


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_admin.certificate import certificate  # imported late: a server needs no commands

    return [certificate]

"""What an operator looks at and switches, by calls: plugins, methods, jobs, settings, health.

All of it is for administrators, whose credential has the scope `admin`. Users, the audit, limits
and files have such methods in the plugins that they belong to.
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
    from landyard_admin.certificate import certificate  # a server needs no words

    return [certificate]

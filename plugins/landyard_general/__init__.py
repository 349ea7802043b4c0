"""General methods: methods' names, the calling user, scopes, the server's time."""

from collections.abc import Iterable

from landyard import MethodGroup, hookimpl
from landyard_general import method_list, service, users
from landyard_general.groups import general, user
from landyard_general.method_list import legacy

__all__ = ["method_list", "service", "users"]


@hookimpl
def register_methods() -> Iterable[MethodGroup]:
    return [general, user, legacy]

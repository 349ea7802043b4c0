"""General methods: the caller's profile, the available methods, the time."""

from collections.abc import Iterable

from landyard import MethodGroup, hookimpl
from landyard_basic import service, users
from landyard_basic.groups import general, user

__all__ = ["service", "users"]


@hookimpl
def register_methods() -> Iterable[MethodGroup]:
    return [general, user]

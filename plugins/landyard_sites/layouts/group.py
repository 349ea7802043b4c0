"""The method group of this plugin, and the error `ENTITY_NOT_FOUND`."""

from landyard import CallError, MethodGroup

layouts = MethodGroup(scope="landing")


class EntityNotFound(CallError):
    code = "ENTITY_NOT_FOUND"
    text = "Entity not found"

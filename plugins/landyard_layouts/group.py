"""What the methods of frames share: their group and error."""

from landyard import CallError, MethodGroup

layouts = MethodGroup(scope="landing")


class EntityNotFound(CallError):
    code = "ENTITY_NOT_FOUND"
    text = "Entity not found"

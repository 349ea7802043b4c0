"""What the methods of registered templates share: their group and errors."""

from landyard import Bounds, CallError, MethodGroup

# A site may be long.
demos = MethodGroup(scope="landing", bounds=Bounds(size=8 * 1024 * 1024))


class RegisterErrorData(CallError):
    code = "REGISTER_ERROR_DATA"
    text = "Data is empty or incorrect"

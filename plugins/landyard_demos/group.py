"""The method group of this plugin, and the error `REGISTER_ERROR_DATA`."""

from landyard import Bounds, CallError, MethodGroup

# The document of a site may be long.
demos = MethodGroup(scope="landing", bounds=Bounds(size=8 * 1024 * 1024))


class RegisterErrorData(CallError):
    code = "REGISTER_ERROR_DATA"
    text = "Data is empty or incorrect"

"""What the methods of registered templates share: their group and errors."""

from landyard import Bounds, CallError, MethodGroup

# A site may be long.
demos = MethodGroup(scope="landing", bounds=Bounds(size=8 * 1024 * 1024))


class RegisterErrorData(CallError):
    code = "REGISTER_ERROR_DATA"
    text = "Data is empty or incorrect"


class ContentIsBad(CallError):
    code = "CONTENT_IS_BAD"
    text = "A text has what is not allowed in it; landing.repo.checkContent shows where."


class EmptyRequired(CallError):
    code = "BX_EMPTY_REQUIRED"
    text = "A template needs a `name`, or a `TITLE` in its `fields`."

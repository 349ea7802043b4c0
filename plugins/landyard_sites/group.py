"""What the methods of sites share: their group and errors."""

from landyard import CallError, MethodGroup

sites = MethodGroup(scope="landing")


class AccessDeniedDeleted(CallError):
    code = "ACCESS_DENIED_DELETED"
    text = "The site must not be deleted."


class FolderIsNotUnique(CallError):
    code = "FOLDER_IS_NOT_UNIQUE"
    text = "Another folder or page there has this address, or the service itself."

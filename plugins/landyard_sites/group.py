"""The method group of sites, and errors that several methods share."""

from landyard import CallError, MethodGroup

site_methods = MethodGroup(scope="landing")


class AccessDeniedDeleted(CallError):
    code = "ACCESS_DENIED_DELETED"
    text = "The site must not be deleted."


class FolderIsNotUnique(CallError):
    code = "FOLDER_IS_NOT_UNIQUE"
    text = "Another folder or page there, or the service itself, has this address."

"""Errors of pages and blocks, by their codes in the contract (section 7)."""

from landyard import CallError, InvalidRequest


class AccessDenied(CallError):
    code = "ACCESS_DENIED"
    text = "This is not yours to do here, or there is no such page."


class LandingNotExist(CallError):
    code = "LANDING_NOT_EXIST"
    text = "There is no such page, it is in the trash, or it is not yours to see."


class SiteNotFound(CallError):
    code = "SITE_NOT_FOUND"
    text = "Site not found"


class BlockNotFound(CallError):
    code = "BLOCK_NOT_FOUND"
    text = "The page's draft has no such block; landing.block.getlist with edit_mode lists them."


class FolderNotFound(CallError):
    code = "FOLDER_NOT_FOUND"
    text = "The page's site has no such folder."


class SlashIsNotAllowed(CallError):
    code = "SLASH_IS_NOT_ALLOWED"
    text = "A page's address must not contain a slash."


class CantBeEmpty(CallError):
    code = "CANT_BE_EMPTY"
    text = "A page's address must not be empty; to have one made of the title, send FOLDER too."


class WrongCodeFormat(CallError):
    code = "WRONG_CODE_FORMAT"
    text = "A page's address must not have the form <letters or digits>_<number>_<number>."


CODE_REFUSALS = (SlashIsNotAllowed, CantBeEmpty, WrongCodeFormat)
"""The errors of a page's code, which every method that takes one declares."""


class IsNotAdmin(CallError):
    code = "IS_NOT_ADMIN"
    text = "To perform this action, you must be an administrator."


class FeatureNotAvail(CallError):
    code = "FEATURE_NOT_AVAIL"
    text = "Rights on single sites, and roles, are not available here."


class ContentIsBad(CallError):
    code = "CONTENT_IS_BAD"
    text = "The content has HTML that is not allowed; landing.repo.checkContent shows where."


class EmptyRequired(CallError):
    code = "BX_EMPTY_REQUIRED"
    text = "A title is required."


class TooLarge(InvalidRequest):
    """A call would make something larger than the settings allow (B18)."""

    def __init__(self, text: str) -> None:
        """Answer 413; the text names the thing that would be too large."""
        super().__init__(text, status=413)

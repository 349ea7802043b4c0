"""`landing.repo.checkContent`: what a block's HTML must not have in it, shown."""

from msgspec import Struct

from landyard import Call, Example, MissingParams
from landyard_landing import (
    AccessDenied,
    AnyText,
    ErrorArgument,
    find_dangers,
    require_access,
    require_answer,
    split_at,
    text_argument,
)
from landyard_repository.group import repository

_SPLITTER = "#SANITIZE#"


class CheckContent(Struct, frozen=True):
    """`content`: HTML; `splitter`: what is put into the middle of each thing that is bad."""

    content: AnyText
    splitter: AnyText = None


class Checked(Struct, frozen=True):
    """Whether the HTML is bad, and the HTML with the bad in it taken apart."""

    is_bad: bool
    content: str


@repository.method(
    "landing.repo.checkContent",
    right="access to sites",
    errors=[MissingParams, ErrorArgument, AccessDenied],
    example=Example(
        {"content": '<p onclick="alert(1)">Hello</p>', "splitter": "#HERE#"},
        result={"is_bad": True, "content": '<p oncl#HERE#ick="alert(1)">Hello</p>'},
    ),
)
def check_content(call: Call, params: CheckContent) -> Checked:
    """Find what HTML has in it that landing.repo.register refuses, and take it apart.

    That is elements that the sanitising policy does not know, frames, event handlers and addresses
    that run something. Without `splitter` it is `#SANITIZE#`. Needs access to sites.
    """
    content = text_argument(params.content, "content")
    given = _SPLITTER if params.splitter is None else params.splitter
    splitter = text_argument(given, "splitter")
    require_access(call)
    places = find_dangers(content)
    require_answer(call, len(content) + len(places) * len(splitter))
    return Checked(bool(places), split_at(content, places, splitter))

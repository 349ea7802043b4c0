"""`landing.repo.checkContent`: mark the parts of HTML that a block must not have."""

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
    """`content`: HTML; `splitter`: a text to insert into each dangerous part."""

    content: AnyText
    splitter: AnyText = None


class Checked(Struct, frozen=True):
    """Whether the HTML is dangerous, and the HTML with its dangerous parts split."""

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
    """Find the parts of HTML that landing.repo.register refuses, and split them.

    Refused are elements outside the sanitising policy, frames, event handlers and addresses that
    run code. The default `splitter` is `#SANITIZE#`. Needs access to sites.
    """
    content = text_argument(params.content, "content")
    text = _SPLITTER if params.splitter is None else params.splitter
    splitter = text_argument(text, "splitter")
    require_access(call)
    places = find_dangers(content)
    require_answer(call, len(content) + len(places) * len(splitter))
    return Checked(bool(places), split_at(content, places, splitter))

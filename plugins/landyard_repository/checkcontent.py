"""`landing.repo.checkContent`: mark the parts of HTML that a block must not have."""

from msgspec import Struct

from landyard import Call, Example, MissingParams
from landyard_content import blocks
from landyard_html.removals import find_dangers, split_at
from landyard_landing import arguments, errors, rights
from landyard_repository.group import repository

_SPLITTER = "#SANITIZE#"


class CheckContent(Struct, frozen=True):
    """`content`: HTML; `splitter`: a text to insert into each dangerous part."""

    content: arguments.AnyText
    splitter: arguments.AnyText = None


class Checked(Struct, frozen=True):
    """Whether the HTML is dangerous, and the HTML with its dangerous parts split."""

    is_bad: bool
    content: str


@repository.method(
    "landing.repo.checkContent",
    right="access to sites",
    errors=[MissingParams, arguments.ErrorArgument, errors.AccessDenied],
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
    content = arguments.text_argument(params.content, "content")
    text = _SPLITTER if params.splitter is None else params.splitter
    splitter = arguments.text_argument(text, "splitter")
    rights.require_access(call)
    places = find_dangers(content)
    blocks.require_answer(call, len(content) + len(places) * len(splitter))
    return Checked(bool(places), split_at(content, places, splitter))

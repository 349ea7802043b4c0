"""`landing.landing.getadditionalfields`: the additional fields of a page."""

from typing import Any

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId
from landyard_landing import errors, rights, sites, tables
from landyard_pages.group import page_methods

_FIND = rights.PageQuery(tables.PAGE.additional_fields)


class GetAdditionalFields(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")
    scope: str | None = None


@page_methods.method(
    "landing.landing.getadditionalfields",
    right="view",
    errors=[MissingParams, errors.LandingNotExist, errors.AccessDenied],
    example=Example(
        {"lid": 11},
        result={
            "METAOG_TITLE": "Four boats we know by heart: Tidewright",
            "METAOG_DESCRIPTION": "A lugger, a tender, a skiff and a punt in larch on oak, and how"
            " one is built in fourteen weeks.",
        },
    ),
)
def get_additional_fields(call: Call, params: GetAdditionalFields) -> dict[str, Any]:
    """Return the non-empty additional fields of a page, by their codes.

    Needs the right to view the page's site.
    """
    _, (additional,) = _FIND.find(call, params.page_id, params.scope)
    return sites.filled_additional(additional)

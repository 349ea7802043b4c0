"""`landing.demos.getList`: rows of the registered templates."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from sqlalchemy import select

from landyard import (
    Call,
    Example,
    Paged,
    ParamsReader,
    SystemFailure,
    WrongType,
)
from landyard_demos.group import demos
from landyard_demos.tables import TEMPLATE
from landyard_html.registered_addresses import safe_addresses
from landyard_landing import arguments, errors, rights, sites

_FIELDS: Mapping[str, Any] = {
    "ID": TEMPLATE.id,
    "XML_ID": TEMPLATE.xml_id,
    "APP_CODE": TEMPLATE.app_code,
    "ACTIVE": TEMPLATE.active,
    "TYPE": TEMPLATE.type,
    "TPL_TYPE": TEMPLATE.tpl_type,
    "SHOW_IN_LIST": TEMPLATE.show_in_list,
    "TITLE": TEMPLATE.title,
    "DESCRIPTION": TEMPLATE.description,
    "PREVIEW": TEMPLATE.preview,
    "PREVIEW2X": TEMPLATE.preview2x,
    "PREVIEW3X": TEMPLATE.preview3x,
    "PREVIEW_URL": TEMPLATE.preview_url,
    "SITE_TEMPLATE_ID": TEMPLATE.site_template_id,
    "LANG_ORIGINAL": TEMPLATE.lang_original,
    "CREATED_BY_ID": TEMPLATE.created_by,
    "MODIFIED_BY_ID": TEMPLATE.modified_by,
    "DATE_CREATE": TEMPLATE.created_at,
    "DATE_MODIFY": TEMPLATE.modified_at,
}
_TEMPLATES = sites.Selection(select(TEMPLATE.id), _FIELDS, objects={"MANIFEST": TEMPLATE.manifest})
_read = ParamsReader(sites.Selecting)


class GetList(Struct, frozen=True):
    """`params`: a filter, and the fields to answer."""

    params: arguments.AnyMap = None


@demos.method(
    "landing.demos.getList",
    right="access to sites",
    errors=[arguments.ErrorArgument, errors.AccessDenied, WrongType, SystemFailure],
    example=Example({"params": {"select": ["ID", "TITLE"], "filter": {"ACTIVE": "Y"}}}, result=[]),
)
def get_list(call: Call, params: GetList) -> Paged[dict[str, Any]]:
    """List the templates that any user registered.

    `params` and the values in the answer are as in `landing.landing.getList`, except `MANIFEST`:
    the template as it was sent, or false if it is not selected. `TPL_TYPE` is S for sites, P for
    pages. Needs access to sites.
    """
    with arguments.as_arguments():
        selecting = _read(arguments.map_argument(params.params, "params"), "params")
    rights.require_access(call)
    page = _TEMPLATES.read(call, selecting)
    rows = safe_addresses(page.items)
    if selecting.select or not selecting.group:
        rows = [{"MANIFEST": False, **row} for row in rows]
    return Paged(rows, page.next, page.total)

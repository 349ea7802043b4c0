"""`landing.repo.getList`: rows of the registered blocks."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from sqlalchemy import bindparam, select

from landyard import Call, Example, Paged, ParamsReader, SystemFailure, WrongType
from landyard_html.registered_addresses import safe_addresses
from landyard_landing import arguments, errors, rights, sites
from landyard_repository.group import repository
from landyard_repository.tables import BLOCK

_FIELDS: Mapping[str, Any] = {
    "ID": BLOCK.id,
    "XML_ID": BLOCK.xml_id,
    "APP_CODE": BLOCK.app_code,
    "ACTIVE": BLOCK.active,
    "NAME": BLOCK.name,
    "DESCRIPTION": BLOCK.description,
    "SECTIONS": BLOCK.sections,
    "SITE_TEMPLATE_ID": BLOCK.site_template_id,
    "PREVIEW": BLOCK.preview,
    "CONTENT": BLOCK.content,
    "CREATED_BY_ID": BLOCK.created_by,
    "MODIFIED_BY_ID": BLOCK.modified_by,
    "DATE_CREATE": BLOCK.created_at,
    "DATE_MODIFY": BLOCK.modified_at,
}
_BLOCKS = sites.Selection(
    select(BLOCK.id).where(BLOCK.widget == bindparam("of_widget")),
    _FIELDS,
    objects={"MANIFEST": BLOCK.manifest},
)
_read = ParamsReader(sites.Selecting)


class GetList(Struct, frozen=True):
    """`params`: a filter, and the fields to answer."""

    params: arguments.AnyMap = None


@repository.method(
    "landing.repo.getList",
    right="access to sites",
    errors=[errors.AccessDenied, arguments.ErrorArgument, SystemFailure],
    example=Example({"params": {"filter": {"ACTIVE": "Y"}, "order": {"ID": "DESC"}}}, result=[]),
)
def get_list(call: Call, params: GetList) -> Paged[dict[str, Any]]:
    """List the blocks that any user registered.

    `params` is `{select, filter, order, group, limit, offset}`. Both `params` and the values in the
    answer are as in `landing.landing.getList`, except `MANIFEST`, the manifest as it was sent.
    """
    with arguments.as_arguments():
        return list_blocks(call, params.params, widgets=False)


def list_blocks(call: Call, sent: Any, *, widgets: bool) -> Paged[dict[str, Any]]:
    """Return registered blocks or widgets; raises `WrongType`, and `AccessDenied` (R1)."""
    if sent not in (None, []) and not isinstance(sent, dict):
        raise WrongType.of("params", "an object", sent)
    selecting = _read(sent or {}, "params")
    rights.require_access(call)
    page = _BLOCKS.read(call, selecting, of_widget=widgets)
    return Paged(safe_addresses(page.items), page.next, page.total)

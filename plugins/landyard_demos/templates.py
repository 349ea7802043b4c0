"""Storage and removal of registered templates and of the page templates made from them."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Text, bindparam, cast, delete, insert, select, update

from landyard import Call, Prepared, one_of
from landyard_content import files, pages
from landyard_demos.documents import SentTemplate
from landyard_demos.group import RegisterErrorData
from landyard_demos.tables import TEMPLATE
from landyard_demos.template_storage import forget_template, store_template
from landyard_landing import advisory_lock, authorship, errors, lengths, settings

_OF_SITE = Prepared(
    select(TEMPLATE.id, TEMPLATE.xml_id, TEMPLATE.created_by, cast(TEMPLATE.manifest, Text))
    .where(TEMPLATE.site_xml_id == bindparam("of_site"))
    .order_by(TEMPLATE.id)
)
_ADD = Prepared(insert(TEMPLATE.id.table).returning(TEMPLATE.id), int)
_SAVE = Prepared(update(TEMPLATE.id.table).where(TEMPLATE.id == bindparam("template_id")))
_REMOVE = Prepared(delete(TEMPLATE.id.table).where(one_of(TEMPLATE.id, "template_ids")))
_LENGTH = Prepared(
    select(lengths.total_length([TEMPLATE.manifest])).where(
        TEMPLATE.created_by == bindparam("user_id")
    ),
    int,
)
_TEXTS = Prepared(select(cast(TEMPLATE.manifest, Text)), str)
_DESCRIBED = ("description", "show_in_list", "preview", "preview2x", "preview3x", "preview_url")


class More(Struct, frozen=True):
    """Further fields, stored with each template for clients only."""

    site_template_id: str | None = None
    lang: dict[str, Any] = {}
    lang_original: str | None = None


class StoredTemplate(Struct, frozen=True):
    """A stored template of a site, with its document as text."""

    id: int
    xml_id: str
    owner: int
    text: str


def save_templates(
    call: Call,
    sent: Sequence[SentTemplate],
    page_templates: Mapping[str, pages.PageTemplate],
    more: More,
) -> list[int]:
    """Store a site's template and those of its pages, replacing earlier ones; return their ids.

    `page_templates` are the page templates by their codes.

    Raises `AccessDenied` for a site that another user has registered.
    """
    site_xml_id = sent[0].xml_id
    earlier = {each.xml_id: each for each in _own(call, site_xml_id)}
    length = sum(len(msgspec.json.encode(each.document)) for each in sent)
    (before,) = _LENGTH.all(call.connection, user_id=call.actor.user_id)
    if before + length > call.settings(settings.BlockSettings).answer_characters:
        raise errors.TooLarge("You have registered as many templates as you may: unregister some.")
    call.subject = f"template:{site_xml_id}"
    ids = [
        _save(
            call,
            each,
            page_templates.get(each.xml_id),
            (earlier.get(each.xml_id), site_xml_id, more),
        )
        for each in sent
    ]
    _forget(call, [each for each in earlier.values() if each.id not in {*ids}])
    _let_go(call, list(earlier.values()))
    return ids


def remove_templates(call: Call, site_xml_id: str) -> bool:
    """Remove a site's template and those of its pages; False if there are none.

    Raises `AccessDenied` for a site that another user has registered.
    """
    stored = _own(call, site_xml_id)
    call.subject = f"template:{site_xml_id}"
    _forget(call, stored)
    _let_go(call, stored)
    return bool(stored)


def _own(call: Call, site_xml_id: str) -> list[StoredTemplate]:
    advisory_lock.acquire(call.connection, "templates")
    stored = [StoredTemplate(*row) for row in _OF_SITE.all(call.connection, of_site=site_xml_id)]
    if not call.actor.admin and any(each.owner != call.actor.user_id for each in stored):
        raise errors.AccessDenied("Another user has registered a template of this code.")
    return stored


def _save(
    call: Call,
    sent: SentTemplate,
    template: pages.PageTemplate | None,
    context: tuple[StoredTemplate | None, str, More],
) -> int:
    earlier, site_xml_id, more = context
    described = sent.described
    values: dict[str, Any] = {name: getattr(described, name) for name in _DESCRIBED}
    values |= {name: getattr(more, name) for name in More.__struct_fields__}
    values |= {
        "xml_id": sent.xml_id,
        "site_xml_id": site_xml_id,
        "type": described.type.lower(),
        "tpl_type": "P" if sent.is_page else "S",
        "title": described.title,
        "manifest": sent.document,
        **authorship.changed_by(call),
    }
    if template is not None:
        site_templates = call.records(pages.SiteTemplate)
        existing = pages.find_template(call.connection, sent.xml_id, site_templates)
        if earlier is None and existing is not None:
            raise RegisterErrorData(
                f"The code '{sent.xml_id}' belongs to a template that was not registered by a call."
            )
        files.keep_files(call, f"{sent.document}{template}")
        store_template(call.connection, template)
    if earlier is not None:
        _SAVE.run(call.connection, template_id=earlier.id, **values)
        return earlier.id
    signed = {"created_at": call.now(), "created_by": call.actor.user_id}
    added = _ADD.first(call.connection, app_code=None, active=True, **values, **signed)
    assert added is not None
    return added


def _forget(call: Call, stored: Sequence[StoredTemplate]) -> None:
    if stored:
        _REMOVE.run(call.connection, template_ids=[each.id for each in stored])
    for each in stored:
        if each.xml_id.count("/"):
            forget_template(call.connection, each.xml_id)


def _let_go(call: Call, stored: Sequence[StoredTemplate]) -> None:
    text = "".join(each.text for each in stored)
    if "/files/" in text:
        files.release_files(call, text, others=_TEXTS.all(call.connection))

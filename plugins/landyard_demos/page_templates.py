"""Conversion of registered templates to page templates for landing.landing.addByTemplate."""

from collections.abc import Mapping
from typing import Any

from landyard import Call
from landyard_content import pages
from landyard_content.blocks import BlockType, clean_sent, find_types, rules_for
from landyard_demos.documents import SentTemplate
from landyard_html.embeds import without_refused
from landyard_html.values import Rules
from landyard_sitekit.exchange import OWN, filled_block


def page_template(call: Call, template: SentTemplate) -> pages.PageTemplate:
    """Return a page template; blocks of unknown types are left out with a warning."""
    described = template.described
    blocks = [each for each in described.items.values() if isinstance(each, dict)]
    codes = {str(each.get("code") or "") for each in blocks}
    rules = rules_for(call)
    kinds = find_types(call.connection, codes, call.records(BlockType)) if codes else {}
    return pages.PageTemplate(
        code=template.xml_id,
        type=described.type.upper(),
        title=described.title,
        description=described.description or "",
        fields=_fields(described.fields, described.title),
        blocks=tuple(
            block
            for each in blocks
            if (block := _block(call, each, kinds[str(each.get("code") or "")], rules))
        ),
    )


def _fields(sent: Mapping[str, Any], title: str) -> dict[str, Any]:
    additional = sent.get("ADDITIONAL_FIELDS")
    return {
        "TITLE": title,
        "RULE": sent.get("RULE") or "",
        "ADDITIONAL_FIELDS": additional if isinstance(additional, dict) else {},
    }


def _block(
    call: Call, exported: Mapping[str, Any], kind: BlockType, rules: Rules
) -> pages.TemplateBlock | None:
    """Return a block: from the HTML in an export of this service, else from its block type."""
    own = exported.get(OWN)
    content = own.get("content") if isinstance(own, dict) else None
    if not isinstance(content, str):
        content = filled_block(kind, exported, rules)
    content = without_refused(clean_sent(call, content), lambda: rules)
    if not content.strip():
        call.warn(f"there is no block '{kind.code[:80]}'")
        return None
    anchor = exported.get("anchor")
    return pages.TemplateBlock(kind.code, content, anchor if isinstance(anchor, str) else None)

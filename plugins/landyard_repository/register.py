"""`landing.repo.register`: register a block for all pages."""

from typing import Any

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, ParamsReader, SystemFailure
from landyard_landing import arguments, errors, rights
from landyard_repository.blocks import RegisteredBlock, save_block
from landyard_repository.checks import check_content, check_manifest, need_fields, read_code
from landyard_repository.group import (
    ManifestIntersectImg,
    PresetContentIsBad,
    RequiredFieldNoExists,
    UnsupportedBlockSubtype,
    UnsupportedBlockType,
    repository,
)
from landyard_repository.resetting import reset_drafts

_REQUIRED = ("NAME", "CONTENT", "SECTIONS", "PREVIEW")


class Fields(Struct, frozen=True):
    """The parameter `fields` of landing.repo.register."""

    name: str = field(name="NAME")
    content: str = field(name="CONTENT")
    sections: str = field(name="SECTIONS")
    preview: str = field(name="PREVIEW")
    description: str | None = field(name="DESCRIPTION", default=None)
    active: bool = field(name="ACTIVE", default=True)
    site_template_id: str | None = field(name="SITE_TEMPLATE_ID", default=None)
    reset: bool = field(name="RESET", default=False)


class Register(Struct, frozen=True):
    """`code`: the caller's code for the block; `fields`: its fields; `manifest`: its manifest."""

    code: arguments.AnyText
    fields: arguments.AnyMap
    manifest: arguments.AnyMap = None


_read = ParamsReader(Fields)


@repository.method(
    "landing.repo.register",
    right="access to sites",
    writes=True,
    errors=[
        errors.AccessDenied,
        arguments.ErrorArgument,
        MissingParams,
        RequiredFieldNoExists,
        ManifestIntersectImg,
        errors.ContentIsBad,
        PresetContentIsBad,
        UnsupportedBlockType,
        UnsupportedBlockSubtype,
        SystemFailure,
    ],
    example=Example(
        {
            "code": "opening-hours",
            "fields": {
                "NAME": "Opening hours",
                "SECTIONS": "text",
                "PREVIEW": "https://boats.example/hours.png",
                "CONTENT": '<section class="landing-block"><p class="hours">9 to 5</p></section>',
            },
            "manifest": {"nodes": {".hours": {"name": "Hours", "type": "text"}}},
        },
        result=1,
    ),
)
def register(call: Call, params: Register) -> int:
    """Register a block, or change the caller's own of the same code, and answer its id.

    `fields` are `NAME`; `CONTENT`, its HTML; `SECTIONS`, the sections that list it, separated by
    commas; `PREVIEW`, the address of a picture; and optionally `DESCRIPTION`, `ACTIVE`, `N` to keep
    it from being added to pages, and `SITE_TEMPLATE_ID`, which is only stored. All users see the
    block as `repo_<id>` in landing.block.getrepository and landing.landing.addblock. HTML with
    dangerous parts, as found by landing.repo.checkContent, is refused; the HTML is also sanitised.
    `RESET` `Y` updates the HTML of its blocks in all drafts that the caller may edit. Needs access
    to sites; only administrators can change another user's block.
    """
    code = arguments.text_argument(params.code, "code")
    sent_fields = arguments.map_argument(params.fields, "fields")
    manifest = arguments.map_argument(params.manifest, "manifest")
    call.look(rights.require_access)
    read_code(code)
    need_fields(sent_fields, _REQUIRED)
    with arguments.as_arguments():
        fields = _read(sent_fields, "fields")
    content = check_content(call, fields.content)
    check_manifest(manifest)
    block_id = save_block(call, _registered_block(code, fields, manifest), content)
    if fields.reset:
        reset_drafts(call, block_id, content)
    return block_id


def _registered_block(code: str, fields: Fields, manifest: dict[str, Any]) -> RegisteredBlock:
    return RegisteredBlock(
        xml_id=code,
        name=fields.name,
        sections=fields.sections,
        preview=fields.preview,
        content=fields.content,
        manifest=manifest,
        description=fields.description,
        active=fields.active,
        site_template_id=fields.site_template_id,
    )

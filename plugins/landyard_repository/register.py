"""`landing.repo.register`: a block of the caller's own, for all pages."""

from typing import Any

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, ParamsReader, SystemFailure
from landyard_landing import (
    AccessDenied,
    AnyMap,
    AnyText,
    ContentIsBad,
    ErrorArgument,
    as_arguments,
    map_argument,
    require_access,
    text_argument,
)
from landyard_repository.blocks import GivenBlock, save_block
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
    """What `fields` say."""

    name: str = field(name="NAME")
    content: str = field(name="CONTENT")
    sections: str = field(name="SECTIONS")
    preview: str = field(name="PREVIEW")
    description: str | None = field(name="DESCRIPTION", default=None)
    active: bool = field(name="ACTIVE", default=True)
    site_template_id: str | None = field(name="SITE_TEMPLATE_ID", default=None)
    reset: bool = field(name="RESET", default=False)


class Register(Struct, frozen=True):
    """`code`: what the caller calls the block; `fields`, see above; `manifest`: its manifest."""

    code: AnyText
    fields: AnyMap
    manifest: AnyMap = None


_read = ParamsReader(Fields)


@repository.method(
    "landing.repo.register",
    right="access to sites",
    writes=True,
    errors=[
        AccessDenied,
        ErrorArgument,
        MissingParams,
        RequiredFieldNoExists,
        ManifestIntersectImg,
        ContentIsBad,
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

    `fields` are `NAME`; `CONTENT`, its HTML; `SECTIONS`, where it is listed, with commas between
    them; `PREVIEW`, the address of a picture; and perhaps `DESCRIPTION`, `ACTIVE`, `N` for one
    that is not to be added to pages now, and `SITE_TEMPLATE_ID`, which is kept. The block is
    `repo_<id>` to landing.block.getrepository and landing.landing.addblock, for everybody. HTML
    in which landing.repo.checkContent finds something is refused, and all of it is sanitised.
    `RESET` `Y` gives the new HTML to all blocks of it in the drafts of pages that the caller may
    edit. Needs access to sites; to change another user's block is for administrators.
    """
    code = text_argument(params.code, "code")
    sent = map_argument(params.fields, "fields")
    manifest = map_argument(params.manifest, "manifest")
    call.look(require_access)
    read_code(code)
    need_fields(sent, _REQUIRED)
    with as_arguments():
        fields = _read(sent, "fields")
    content = check_content(call, fields.content)
    check_manifest(manifest)
    block_id = save_block(call, _given(code, fields, manifest), content)
    if fields.reset:
        reset_drafts(call, block_id, content)
    return block_id


def _given(code: str, fields: Fields, manifest: dict[str, Any]) -> GivenBlock:
    return GivenBlock(
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

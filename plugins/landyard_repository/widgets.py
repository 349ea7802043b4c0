"""`landing.repowidget.*`: widgets, which are registered blocks for main pages."""

from typing import Any

from msgspec import Struct, field

from landyard import Call, CallError, Example, MissingParams, Paged, ParamsReader, WrongType
from landyard_content import blocks
from landyard_landing import arguments, errors, rights
from landyard_repository.blocks import RegisteredBlock, remove_block, save_block
from landyard_repository.checks import need_fields, read_code
from landyard_repository.getlist import list_blocks
from landyard_repository.group import RequiredFieldNoExists, repository
from landyard_repository.resetting import reset_drafts

_REQUIRED = ("NAME", "PREVIEW", "CONTENT", "SECTIONS", "WIDGET_PARAMS")
_REQUIRED_PARAMS = ("rootNode", "handler", "demoData")
_SCOPE = "MAINPAGE"


class RequiredParamNoExists(CallError):
    code = "REQUIRED_PARAM_NO_EXISTS"
    text = "A required parameter of the widget is missing."


class AppNotFound(CallError):
    code = "APP_NOT_FOUND"
    text = "Widgets cannot be debugged: the service runs no scripts of widgets."


class Fields(Struct, frozen=True):
    """The parameter `fields` of landing.repowidget.register."""

    name: str = field(name="NAME")
    content: str = field(name="CONTENT")
    sections: str = field(name="SECTIONS")
    preview: str = field(name="PREVIEW")
    widget_params: dict[str, Any] = field(name="WIDGET_PARAMS")
    description: str | None = field(name="DESCRIPTION", default=None)
    active: bool = field(name="ACTIVE", default=True)
    site_template_id: str | None = field(name="SITE_TEMPLATE_ID", default=None)


class Register(Struct, frozen=True):
    """`code`: the caller's code for the widget; `fields`: its fields."""

    code: arguments.AnyText
    fields: arguments.AnyMap


class GetList(Struct, frozen=True):
    """`params`: a filter, and the fields to answer."""

    params: arguments.AnyMap


class Unregister(Struct, frozen=True):
    """`code`: the caller's code of the widget."""

    code: arguments.AnyText


class Debug(Struct, frozen=True):
    """`enable`: whether widgets report details of their errors."""

    enable: bool = False


_read = ParamsReader(Fields)


@repository.method(
    "landing.repowidget.register",
    right="access to sites",
    writes=True,
    errors=[
        MissingParams,
        arguments.ErrorArgument,
        errors.AccessDenied,
        RequiredFieldNoExists,
        RequiredParamNoExists,
    ],
    example=Example(
        {
            "code": "tide-today",
            "fields": {
                "NAME": "Tide today",
                "PREVIEW": "https://boats.example/tide.png",
                "SECTIONS": "widgets_other",
                "CONTENT": '<div class="tide"><p>High water at {{time}}</p></div>',
                "WIDGET_PARAMS": {
                    "rootNode": ".tide",
                    "handler": "https://boats.example/tide",
                    "demoData": {"time": "14:20"},
                },
            },
        },
        result=1,
    ),
)
def register(call: Call, params: Register) -> int:
    """Register a widget, or change the caller's own of the same code, and answer its id.

    `fields` are as in landing.repo.register, with `WIDGET_PARAMS`: `rootNode`, `handler`,
    `demoData`, and optionally `lang` and `style`; these are only stored for clients. The widget's
    code is `repo_<id>`, for pages of sites of type MAINPAGE. Its HTML is sanitised and shown
    unchanged: its scripts do not run, and the handler is not called. Its copies in drafts that the
    caller may edit get the new HTML. Needs access to sites; only administrators can change another
    user's widget.
    """
    code = arguments.text_argument(params.code, "code")
    sent_fields = arguments.map_argument(params.fields, "fields")
    call.look(rights.require_access)
    read_code(code)
    need_fields(sent_fields, _REQUIRED)
    with arguments.as_arguments():
        fields = _read(sent_fields, "fields")
    for name in _REQUIRED_PARAMS:
        if fields.widget_params.get(name) is None:
            raise RequiredParamNoExists(f"The required parameter is missing: {name}")
    block = {"type": ["mainpage"], "subtype": ["widgetvue"], "subtype_params": fields.widget_params}
    content = blocks.clean_sent(call, fields.content)
    block_id = save_block(
        call,
        RegisteredBlock(
            xml_id=code,
            name=fields.name,
            sections=fields.sections,
            preview=fields.preview,
            content=fields.content,
            manifest={"block": block},
            description=fields.description,
            active=fields.active,
            site_template_id=fields.site_template_id,
            widget=True,
        ),
        content,
    )
    reset_drafts(call, block_id, content, _SCOPE)
    return block_id


@repository.method(
    "landing.repowidget.getlist",
    right="access to sites",
    errors=[MissingParams, WrongType, errors.AccessDenied],
    example=Example({"params": {"select": ["ID", "NAME"], "order": {"ID": "DESC"}}}, result=[]),
)
def get_list(call: Call, params: GetList) -> Paged[dict[str, Any]]:
    """List the widgets that any user registered.

    `params` and the answer are as in landing.repo.getList.
    """
    return list_blocks(call, params.params, widgets=True)


@repository.method(
    "landing.repowidget.unregister",
    right="access to sites",
    writes=True,
    errors=[MissingParams, arguments.ErrorArgument, errors.AccessDenied],
    example=Example({"code": "tide-today"}, result=False),
)
def unregister(call: Call, params: Unregister) -> bool:
    """Remove a registered widget of the caller; answers false if there is none with this code.

    Its copies on pages stay. Needs access to sites; only administrators can remove another user's
    widget.
    """
    return remove_block(call, arguments.text_argument(params.code, "code"), widget=True)


@repository.method(
    "landing.repowidget.debug",
    right="access to sites",
    errors=[AppNotFound, errors.AccessDenied],
    example=Example({"enable": False}, result=True),
)
def debug(call: Call, params: Debug) -> bool:
    """Answer true if `enable` is false: debugging is always off, as scripts of widgets do not run.

    Needs access to sites.
    """
    rights.require_access(call)
    if params.enable:
        raise AppNotFound
    return True

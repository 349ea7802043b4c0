"""`landyard.site.fromtemplate`: make a site with all its pages from a template."""

from typing import Annotated

from msgspec import Meta, Struct

from landyard import Call, CallError, Example, MissingParams, WrongType
from landyard_content import blocks
from landyard_content.pages import SiteTemplate
from landyard_landing import errors, events
from landyard_sitekit.site_filling import fill_site
from landyard_sites.add import Fields, SiteLimitReached, make_site
from landyard_sites.group import site_methods
from landyard_sites.places.sites import save_site

_Text = Annotated[str, Meta(max_length=255)]


class TemplateNotFound(CallError):
    code = "TEMPLATE_NOT_FOUND"
    text = "There is no template of a site with this code; see landing.demos.getSiteList."


class FromTemplate(Struct, frozen=True):
    """`template`: the template's code; `title`: the site's title, the template's if empty.

    `code`: the site's address, made from the title if empty; `lang`: the language of its pages,
    such as `de` or `pt-BR`, en if empty.
    """

    template: _Text
    title: _Text = ""
    code: _Text = ""
    lang: _Text = ""


class MadePage(Struct, frozen=True):
    """A page: its id, and its path in the site, "" for the main page."""

    id: int
    path: str


class MadeSite(Struct, frozen=True):
    """The site's id, the ids of its folders by path, and its pages, the main one first."""

    id: int
    folders: dict[str, int]
    pages: list[MadePage]


@site_methods.method(
    "landyard.site.fromtemplate",
    right="edit, as the default for all sites",
    writes=True,
    errors=[
        *(MissingParams, WrongType, errors.AccessDenied, TemplateNotFound),
        *(SiteLimitReached, errors.SlashIsNotAllowed),
    ],
    example=Example(
        {"template": "agency", "title": "Ours", "code": "ours"},
        result={
            "id": 3,
            "folders": {"work": 2},
            "pages": [
                {"id": 13, "path": ""},
                {"id": 14, "path": "work/ferry-line"},
                {"id": 15, "path": "studio"},
                {"id": 16, "path": "contact"},
                {"id": 17, "path": "notice"},
            ],
        },
    ),
)
def from_template(call: Call, params: FromTemplate) -> MadeSite:
    """Make a site with the pages and folders of a template, and answer their ids.

    landing.demos.getSiteList lists the templates. All pages are inactive, and links between them
    work. Either everything is made, or nothing. Needs the right to edit as the caller's default for
    all sites, or a role that lets the caller make sites.
    """
    template = call.records(SiteTemplate).get(params.template)
    if template is None or not template.is_site:
        raise TemplateNotFound
    title = params.title.strip() or template.title
    fields = Fields(title, code=params.code, lang=params.lang)
    site_id = make_site(call, fields, template.site_type, template.code)
    made = fill_site(
        call.connection,
        site_id,
        template,
        title=None if title == template.title else title,
        brought=call.records(blocks.BlockType),
        now=call.now(),
        user_id=call.actor.user_id,
    )
    save_site(call, site_id, {"main_page_id": made.pages[""]})
    events.announce_folders(call, "created", site_id, made.folders.values())
    events.announce_pages(call, "created", made.pages.values())
    pages = [MadePage(page_id, path) for path, page_id in made.pages.items()]
    return MadeSite(site_id, made.folders, pages)

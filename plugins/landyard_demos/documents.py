"""The parser of templates sent by callers in the format of landing.site.fullExport."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from landyard import ParamsReader, WrongType
from landyard_demos.group import RegisterErrorData
from landyard_html.removals import find_dangers
from landyard_landing import errors, sites

_LONGEST_CODE = 255
_MOST_PAGES = 500


class Described(Struct, frozen=True):
    """The description of a site's or page's template in the document."""

    code: str
    name: str = ""
    description: str | None = None
    type: str = "page"
    fields: dict[str, Any] = field(default_factory=dict)
    items: dict[str, Any] = field(default_factory=dict)
    preview: str = ""
    preview2x: str = ""
    preview3x: str = ""
    preview_url: str = ""
    show_in_list: bool = True

    @property
    def title(self) -> str:
        """The template's title."""
        title = self.fields.get("TITLE")
        return self.name or (title if isinstance(title, str) else "")


class SentTemplate(Struct, frozen=True):
    """A template to store: `xml_id` is its code in this service; `document` is as it was sent."""

    xml_id: str
    is_page: bool
    described: Described
    document: dict[str, Any]


_read = ParamsReader(Described)


def read_site(data: Any) -> list[SentTemplate]:
    """Return a site's template, followed by the templates of its pages.

    Raises `RegisterErrorData` if the document is no template, `EmptyRequired` if it has no title,
    and `ContentIsBad` if it has dangerous HTML.
    """
    site = _described(data, "data")
    if len(site.items) > _MOST_PAGES:
        raise RegisterErrorData(f"A site has {_MOST_PAGES} pages at most.")
    templates = [SentTemplate(site.code, is_page=False, described=site, document=data)]
    for key, document in site.items.items():
        page = _described(document, f"data.items.{key}")
        xml_id = f"{site.code}/{page.code}"
        templates.append(SentTemplate(xml_id, is_page=True, described=page, document=document))
    if len({each.xml_id for each in templates}) < len(templates):
        raise RegisterErrorData("Two pages of the site have the same `code`.")
    if any("<" in text and find_dangers(text, frames=True) for text in _texts(data)):
        raise errors.ContentIsBad
    return templates


def _described(document: Any, where: str) -> Described:
    if not isinstance(document, dict):
        raise RegisterErrorData(f"{where} must be an object.")
    fields = {name: value for name, value in document.items() if value is not None}
    if not fields.get("code"):
        raise RegisterErrorData(f"{where} must have a `code`.")
    try:
        template = _read(fields, where)
    except WrongType as error:
        raise RegisterErrorData(error.description) from None
    if "/" in template.code or len(template.code) > _LONGEST_CODE:
        raise RegisterErrorData(
            f"{where}.code must have no slash, and {_LONGEST_CODE} characters at most."
        )
    if template.type.upper() not in sites.SITE_TYPES:
        raise RegisterErrorData(
            f"{where}.type must be a type of sites: {', '.join(sorted(sites.SITE_TYPES))}."
        )
    if not template.title.strip():
        raise errors.EmptyRequired(f"{where} needs a `name`, or a `TITLE` in its `fields`.")
    return template


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)

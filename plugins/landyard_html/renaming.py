"""Changes the tags of a block's elements, as `landing.block.changeNodeName` does (`B7`, `B8`)."""

from __future__ import annotations

from collections.abc import Mapping

from landyard_html import tree, words
from landyard_html.allowed import attribute_allowed
from landyard_html.manifests import Manifest
from landyard_html.markup import Markup
from landyard_html.nesting import VOID
from landyard_html.policy import fits
from landyard_html.values import WrongValue

_TAGS = words("h1 h2 h3 h4 h5 h6 div p a span")
_OTHERWISE = "div"


def rename_nodes(content: str, data: Mapping[str, object], manifest: Manifest) -> tuple[str, bool]:
    """A block's HTML with the elements in `data` renamed, and whether any element was found.

    A selector without a position names the first element found. A tag that callers may not choose
    becomes `div`. Where the tag is not valid around the element's content or inside its ancestors,
    the element becomes a `div`, or keeps its tag. Raises WrongValue for a tag that is no string.
    """
    for key, tag in data.items():
        if not isinstance(tag, str):
            raise WrongValue(f"data[{key}]", "a string")
    markup, acted = Markup(content), False
    for key, tag in data.items():
        place = manifest.place(key)
        if place is None or place.is_component:
            continue
        index = place.index or 0
        for element in markup.select(place.selector)[index : index + 1]:
            _rename(markup, element, str(tag).strip().lower())
            acted = True
    return markup.source(), acted


def _rename(markup: Markup, element: tree.Element, wanted: str) -> None:
    wanted = wanted if wanted in _TAGS else _OTHERWISE
    inside = element.inner_html
    for tag in (wanted, _OTHERWISE):
        if element.tag not in VOID and fits(element, tag, inside):
            for name in [each for each in element.attrs if not attribute_allowed(tag, each)]:
                markup.set_attribute(element, name, None)
            if element.tag != tag:
                markup.rename(element, tag)
            return

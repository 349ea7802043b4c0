"""Edits of a block's HTML by the raw limit: every byte outside the edit stays as it was."""

import functools
import re

import nh3
from turbohtml import Element, parse_fragment

_MARKUP = re.compile(r"[<>&\r\x00\xa0]")
_POSITION = re.compile(r"(.+)@(\d*)")
_NAME = re.compile(r"[a-z][a-z0-9_.-]*")
_NEVER = frozenset({"class", "id", "sandbox", "srcdoc", "style"})
_ALLOWED = frozenset({"href", "hidden", "lang", "role", "target", "title"})
_SCRIPTED = re.compile(r"\s*(?:javascript|vbscript|data):", re.IGNORECASE)

_TAGS = nh3.ALLOWED_TAGS | {"section", "main", "picture", "source", "button"}
_ATTRIBUTES = {**nh3.ALLOWED_ATTRIBUTES, "*": {"class", "id", "style"}}
_ATTRIBUTES["a"] = {*_ATTRIBUTES["a"], "target"}
_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    generic_attribute_prefixes={"data-", "aria-"},
    link_rel=None,
)


clean = functools.lru_cache(maxsize=512)(_CLEANER.clean)
"""Sanitises a whole block."""


class NothingFound(Exception):
    """No element matches the selector of the caller."""


def set_texts(content: str, data: dict[str, str], named: dict[str, dict[str, str]]) -> str:
    """Write sanitised rich text into nodes that the manifest names."""
    source, root = _parsed(content)
    splices = []
    for key, value in data.items():
        selector, index = position(key)
        found = root.select(selector) if selector in named else []
        for element in found[index or 0 : (index or 0) + 1]:
            text = _CLEANER.clean(value) if _MARKUP.search(value) else value
            location = element.source_location
            assert location
            assert location.end_tag
            splices.append((location.start_tag.end_offset, location.end_tag.start_offset, text))
    if not splices:
        raise NothingFound
    return _spliced(source, splices)


def set_attributes(
    content: str, data: dict[str, dict[str, str]], named: dict[str, dict[str, str]]
) -> str | None:
    """Set safe attributes that the manifest names; None where nothing is set."""
    source, root = _parsed(content)
    splices = []
    for key, values in data.items():
        selector, index = position(key)
        found = root.select(selector) if selector in named else []
        picked = found if index is None else found[index : index + 1]
        for name, value in values.items():
            if name == named[selector]["attribute"] and _is_safe(name, value):
                splices += [_attribute(element, name, value) for element in picked]
    return _spliced(source, splices) if splices else None


def without_card(content: str, key: str, named: dict[str, dict[str, str]]) -> str:
    """Remove the card that a selector with a position names, with its line breaks."""
    selector, index = position(key)
    source, root = _parsed(content)
    found = root.select(selector) if selector in named else []
    if index is None or index >= len(found):
        raise NothingFound
    location = found[index].source_location
    assert location
    assert location.end_tag
    start, end = location.start_tag.start_offset, location.end_tag.end_offset
    line = source.rfind("\n", 0, start) + 1
    if not source[line:start].strip() and source[end : end + 1] == "\n":
        start, end = line, end + 1
    return source[:start] + source[end:]


def position(key: str) -> tuple[str, int | None]:
    """Split `.card@2`; None where there is no position."""
    match = _POSITION.fullmatch(key)
    return (match[1], int(match[2] or 0)) if match else (key, None)


def _parsed(content: str) -> tuple[str, Element]:
    root = parse_fragment(content, source_locations=True)
    if root.inner_html != content:  # the tree differs from its source
        content = clean(content)
        root = parse_fragment(content, source_locations=True)
    return content, root


def _attribute(element: Element, name: str, value: str) -> tuple[int, int, str]:
    location = element.source_location
    assert location
    text = value.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    span = location.attrs.get(name)
    if span:
        return span.start_offset, span.end_offset, f'{name}="{text}"'
    ends = [other.end_offset for other in location.attrs.values()]
    end = max(ends, default=location.start_tag.start_offset + 1 + len(element.tag))
    return end, end, f' {name}="{text}"'


def _is_safe(name: str, value: str) -> bool:
    known = name in _ALLOWED or name.startswith(("data-", "aria-"))
    return (
        known
        and name not in _NEVER
        and not name.startswith("on")
        and _NAME.fullmatch(name) is not None
        and not _SCRIPTED.match(value)
    )


def _spliced(source: str, splices: list[tuple[int, int, str]]) -> str:
    written: list[str] = []
    at = 0
    for start, end, text in sorted(splices):
        written += (source[at:start], text)
        at = end
    return "".join((*written, source[at:]))

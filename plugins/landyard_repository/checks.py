"""Validation of registered blocks and manifests, with the platform's error codes."""

from collections.abc import Iterator, Mapping
from typing import Any

from landyard import Call
from landyard_content import blocks
from landyard_html.removals import find_dangers
from landyard_html.selectors import wrong_selectors
from landyard_landing import arguments, errors
from landyard_repository.group import (
    ManifestIntersectImg,
    PresetContentIsBad,
    RequiredFieldNoExists,
    UnsupportedBlockSubtype,
    UnsupportedBlockType,
)

# Style types that set a background; an editable element must not have one.
_PICTURED = frozenset({"background", "block-default", "block-border"})
_LONGEST_CODE = 255


def read_code(code: str) -> None:
    """Raise `ErrorArgument` for a code that is empty or too long."""
    if not 0 < len(code) <= _LONGEST_CODE:
        raise arguments.ErrorArgument(
            "code", f"Parameter 'code' must have 1 to {_LONGEST_CODE} characters."
        )


def need_fields(fields: Mapping[str, Any], names: tuple[str, ...]) -> None:
    """Raise `RequiredFieldNoExists` for the first field that is missing or empty."""
    for name in names:
        if fields.get(name) in (None, "", [], {}):
            raise RequiredFieldNoExists(f"The required field is missing: {name}")


def check_content(call: Call, content: str) -> str:
    """Return sanitised HTML; raises `ContentIsBad` if it is dangerous, or nothing is left.

    It is slow: call it before the call uses its connection.
    """
    cleaned = blocks.clean_sent(call, content)
    if is_bad(content) or not cleaned.strip():
        raise errors.ContentIsBad
    return cleaned


def check_manifest(manifest: Mapping[str, Any]) -> None:
    """Raise the error of the first defect in a registered block's manifest."""
    if wrong := wrong_selectors(manifest):
        raise arguments.ErrorArgument(f"Parameter 'manifest' cannot be used: {wrong}.")
    block = _map(manifest.get("block"))
    if "mainpage" in _words(block.get("type")):
        raise UnsupportedBlockType
    if "widget" in _words(block.get("subtype")):
        raise UnsupportedBlockSubtype
    styles = _map(_map(manifest.get("style")).get("nodes") or manifest.get("style"))
    for selector in _map(manifest.get("nodes")):
        if _PICTURED & {*_words(_map(styles.get(selector)).get("type"))}:
            raise ManifestIntersectImg(
                f"The element '{selector}' of nodes must not have a style type for a"
                " picture: background, block-default or block-border. Choose another type."
            )
    if any(is_bad(html) for html in _presets(manifest)):
        raise PresetContentIsBad


def is_bad(html: str) -> bool:
    """Tell whether HTML has dangerous parts."""
    return bool(find_dangers(html))


def _presets(manifest: Mapping[str, Any]) -> Iterator[str]:
    for card in _map(manifest.get("cards")).values():
        for preset in _map(_map(card).get("presets")).values():
            html = _map(preset).get("html")
            if isinstance(html, str):
                yield html


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _words(value: Any) -> list[str]:
    """Return words from a text with commas, or from a list."""
    parts = value.split(",") if isinstance(value, str) else value
    return [each.strip().lower() for each in parts or () if isinstance(each, str)]

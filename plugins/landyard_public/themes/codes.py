"""Checks the codes of themes."""

import re

_CODE = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)


def is_theme_code(code: str) -> bool:
    """Tell whether a text may be a theme's code."""
    return _CODE.fullmatch(code) is not None

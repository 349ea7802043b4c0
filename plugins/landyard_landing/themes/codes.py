"""Codes of themes."""

import re

USUAL_THEME = "harbour"
"""The theme of a site that nothing is said of: what `landyard.css` says by itself."""
_CODE = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)


def is_theme_code(code: str) -> bool:
    """Tell whether a theme may have a code."""
    return _CODE.fullmatch(code) is not None

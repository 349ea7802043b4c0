"""Themes, which give sites their look by tokens, fonts and style sheets."""

from landyard_public.themes.codes import is_theme_code
from landyard_public.themes.default_theme import themes_with
from landyard_public.themes.folders import read_themes
from landyard_public.themes.methods import theme_methods
from landyard_public.themes.pictures import find_picture
from landyard_public.themes.site_look import FAVICON, LOGO, SOCIAL
from landyard_public.themes.theme import Theme, faults_of
from landyard_public.themes.tokens import NAMES, Token, token_of

__all__ = [
    "FAVICON",
    "LOGO",
    "NAMES",
    "SOCIAL",
    "Theme",
    "Token",
    "faults_of",
    "find_picture",
    "is_theme_code",
    "read_themes",
    "theme_methods",
    "themes_with",
    "token_of",
]

"""A site's language, as calls name it."""

from landyard_landing import USUAL_LANGUAGE, AccessDenied, read_language


def site_language(tag: str) -> str:
    """Read `LANG`: a language tag; an empty one is the usual language. Raises `AccessDenied`."""
    language = read_language(tag) if tag.strip() else USUAL_LANGUAGE
    if language is None:
        raise AccessDenied("fields.LANG: it must be a language tag, such as en, de or pt-BR.")
    return language

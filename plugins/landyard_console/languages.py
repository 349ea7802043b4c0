"""The languages that a site or a page is offered, each by its own name."""

from landyard_console.view import View

_NAMES = {
    "af": "Afrikaans", "ar": "العربية", "bg": "Български", "bn": "বাংলা", "ca": "Català",
    "cs": "Čeština", "cy": "Cymraeg", "da": "Dansk", "de": "Deutsch", "el": "Ελληνικά",
    "en": "English", "es": "Español", "et": "Eesti", "eu": "Euskara", "fa": "فارسی",
    "fi": "Suomi", "fr": "Français", "ga": "Gaeilge", "gl": "Galego", "he": "עברית",
    "hi": "हिन्दी", "hr": "Hrvatski", "hu": "Magyar", "id": "Bahasa Indonesia", "is": "Íslenska",
    "it": "Italiano", "ja": "日本語", "ka": "ქართული", "kk": "Қазақша", "ko": "한국어",
    "lt": "Lietuvių", "lv": "Latviešu", "mk": "Македонски", "ms": "Bahasa Melayu", "nb": "Norsk",
    "nl": "Nederlands", "pl": "Polski", "pt": "Português", "pt-BR": "Português (Brasil)",
    "ro": "Română", "ru": "Русский", "sk": "Slovenčina", "sl": "Slovenščina", "sq": "Shqip",
    "sr": "Српски", "sv": "Svenska", "sw": "Kiswahili", "th": "ไทย", "tr": "Türkçe",
    "uk": "Українська", "ur": "اردو", "vi": "Tiếng Việt", "zh-Hans": "简体中文",
    "zh-Hant": "繁體中文",
}  # fmt: skip


def offered(own: str) -> list[tuple[str, str]]:
    """List tags and names, ordered by name; a site's `own` language is among them."""
    named = {**_NAMES, own: name_of(own)} if own else _NAMES
    return sorted(named.items(), key=lambda each: each[1].casefold())


def name_of(tag: str) -> str:
    """Name a language, with the rest of its tag: `fr-CA` is "Français (CA)"."""
    language, _, rest = tag.partition("-")
    if tag in _NAMES or not rest:
        return _NAMES.get(tag, tag)
    return f"{_NAMES.get(language, language)} ({rest})"


def of_browser(view: View) -> str:
    """Find the language that the browser asks for first; "en" where it is none of these."""
    first = view.request.headers.get("accept-language", "").partition(",")[0].partition(";")[0]
    tag = first.strip()
    return next((each for each in (tag, tag.partition("-")[0]) if each in _NAMES), "en")

"""The languages to choose for a site or a page, each by its own name."""

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
    """Return tags and names, sorted by name, including a site's `own` language."""
    names = {**_NAMES, own: name_of(own)} if own else _NAMES
    return sorted(names.items(), key=lambda each: each[1].casefold())


def name_of(tag: str) -> str:
    """Return the name of a language, with the rest of its tag: "Français (CA)" for `fr-CA`."""
    language, _, rest = tag.partition("-")
    if tag in _NAMES or not rest:
        return _NAMES.get(tag, tag)
    return f"{_NAMES.get(language, language)} ({rest})"


def of_browser(view: View) -> str:
    """Return the browser's first language; "en" if it is not in the list."""
    first = view.request.headers.get("accept-language", "").partition(",")[0].partition(";")[0]
    tag = first.strip()
    return next((each for each in (tag, tag.partition("-")[0]) if each in _NAMES), "en")

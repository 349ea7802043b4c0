"""A form speaks the language of its page."""

import re

import msgspec
import pytest
from plugins.forms.site import GOOD, SENT, Visitor, card, form_with, kept, serving

from landyard_forms.words import Words, words_of
from landyard_landing import USUAL_LANGUAGE

LANGUAGES = ("en", "de", "fr", "ru", "ar")
BLANKS = re.compile(r"\{\w+\}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_says_everything_in_its_own_words(language: str) -> None:
    own, english = (msgspec.to_builtins(words_of(each)) for each in (language, USUAL_LANGUAGE))

    for name in Words.__struct_fields__:
        assert own[name]
        assert sorted(BLANKS.findall(str(own[name]))) == sorted(BLANKS.findall(str(english[name])))
        assert (own[name] == english[name]) == (language == USUAL_LANGUAGE), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_form_as_it_comes_is_in_the_language_of_its_page(language: str) -> None:
    """Also what a visitor agrees to, as it is kept."""
    said = words_of(language).block
    with serving(language=language) as service:
        page, thanks = service.get("/shop/").text, service.get(SENT).text
        Visitor(service).fill(GOOD)
        (sent,) = kept(service)

    assert all(f">{own}<" in page + thanks for own in said.values())
    assert language == "en" or not any(f">{each}<" in page + thanks for each in said)
    assert sent["consent"] in said.values()
    assert {each["label"] for each in sent["answers"]} <= {*said.values()}


@pytest.mark.parametrize(
    ("tag", "of"), [("de-AT", "de"), ("ar-EG", "ar"), ("it", "en"), ("", "en")]
)
def test_a_language_without_a_file_has_the_words_of_the_nearest(tag: str, of: str) -> None:
    assert words_of(tag) == words_of(of)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_form_says_is_in_the_language_of_its_page(language: str) -> None:
    words = words_of(language)
    fields = card("choice", "boat", options="Punt"), card("mail", "mail", required=True)
    content = form_with(*fields).replace("Go</span>", "</span>").replace("Thanks, all of you.", "")
    with serving(content, language=language) as service:
        page = service.get("/shop/").text
        refused = Visitor(service).fill({"mail": "ann"})

        assert f'dir="{"rtl" if language == "ar" else "ltr"}"' in page
        for told in (words.choose, words.send, words.leave_empty):
            assert f">{told}" in page
        assert words.see_below in refused.text
        assert words.mail in refused.text
        assert words.thanks in service.get(SENT).text


def test_what_a_site_speaks_its_pages_do() -> None:
    with serving() as service:
        service.load({"sites": [{"id": 1, "language": "ru"}]})
        asked = Visitor(service).send(GOOD)

        assert words_of("ru").once_more in asked.text
        assert f'aria-label="{words_of("ru").label}"' in asked.text


def test_what_an_editor_wrote_stays() -> None:
    with serving(form_with(card("mail", "mail")), language="ru") as service:
        assert ">Go<" in service.get("/shop/").text
        assert "Thanks, all of you." in service.get(SENT).text

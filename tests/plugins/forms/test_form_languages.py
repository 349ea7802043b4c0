"""A form uses the language of its page."""

import re

import msgspec
import pytest
from plugins.forms.site import GOOD, SENT, Visitor, card, form_with, kept, serving

from landyard_forms.words import Words, words_of
from landyard_landing.languages import USUAL_LANGUAGE

LANGUAGES = ("en", "de", "fr", "ru", "ar")
BLANKS = re.compile(r"\{\w+\}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_all_texts_of_its_own(language: str) -> None:
    own, english = (msgspec.to_builtins(words_of(each)) for each in (language, USUAL_LANGUAGE))

    for name in Words.__struct_fields__:
        assert own[name]
        assert sorted(BLANKS.findall(str(own[name]))) == sorted(BLANKS.findall(str(english[name])))
        assert (own[name] == english[name]) == (language == USUAL_LANGUAGE), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_form_is_in_the_language_of_its_page(language: str) -> None:
    """The consent text too, as it is stored."""
    texts = words_of(language).block
    with serving(language=language) as service:
        page, thanks = service.get("/shop/").text, service.get(SENT).text
        Visitor(service).fill(GOOD)
        (sent,) = kept(service)

    assert all(f">{own}<" in page + thanks for own in texts.values())
    assert language == "en" or not any(f">{each}<" in page + thanks for each in texts)
    assert sent["consent"] in texts.values()
    assert {each["label"] for each in sent["answers"]} <= {*texts.values()}


@pytest.mark.parametrize(
    ("tag", "of"), [("de-AT", "de"), ("ar-EG", "ar"), ("it", "en"), ("", "en")]
)
def test_a_language_without_a_file_has_the_texts_of_the_nearest(tag: str, of: str) -> None:
    assert words_of(tag) == words_of(of)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_messages_of_a_form_are_in_the_language_of_its_page(language: str) -> None:
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


def test_a_page_without_a_language_has_that_of_its_site() -> None:
    with serving() as service:
        service.load({"sites": [{"id": 1, "language": "ru"}]})
        answer = Visitor(service).send(GOOD)

        assert words_of("ru").once_more in answer.text
        assert f'aria-label="{words_of("ru").label}"' in answer.text


def test_texts_of_an_editor_stay() -> None:
    with serving(form_with(card("mail", "mail")), language="ru") as service:
        assert ">Go<" in service.get("/shop/").text
        assert "Thanks, all of you." in service.get(SENT).text

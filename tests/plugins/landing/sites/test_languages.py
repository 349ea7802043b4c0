"""Language tags, and the directions of languages."""

import pytest

from landyard_landing.languages import direction, read_language


@pytest.mark.parametrize(
    ("sent", "tag"),
    [
        ("en", "en"),
        (" PT-br ", "pt-BR"),
        ("zh-hant-TW", "zh-Hant-TW"),
        ("es-419", "es-419"),
        ("de-CH-1996", "de-CH-1996"),
        ("", None),
        ("german", None),
        ("pt_BR", None),
        ("en-", None),
        ('en" onload="x', None),
        ("x-private", None),
        ("\u212aa", None),  # a letter that becomes a k where case is ignored
        ("de" + "-abcde" * 6, None),
    ],
)
def test_a_tag_is_written_as_the_standard_requires(sent: str, tag: str | None) -> None:
    assert read_language(sent) == tag


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        *((tag, "rtl") for tag in ("ar", "he", "fa", "ur-PK", "az-Arab", "ckb-IQ")),
        *((tag, "ltr") for tag in ("en", "ru", "pt-BR", "ur-Latn", "ar-Latn-EG", "arn")),
    ],
)
def test_the_direction_follows_from_the_language(tag: str, expected: str) -> None:
    assert direction(tag) == expected

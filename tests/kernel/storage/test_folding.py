"""Folding: SQLite and PostgreSQL find a text alike, whatever its case and accents."""

# ruff: noqa: RUF001 - letters that look alike are what is told apart here

from collections.abc import Iterator, Sequence
from pathlib import Path
from unicodedata import normalize

import pytest
import sqlalchemy as sa

from landyard import Store, fold, fold_mask, folded
from landyard.storage.folding import postgres_function

ALIKE = [
    ("Бронь лодок", "бронь ЛОДОК"),
    ("Ёлка", "елка"),
    ("Їжак", "іжак"),
    ("Ÿes Château ÎLE", "yes chateau ile"),
    ("Niño", "NINO"),
    ("Straße", "STRASSE"),
    ("GROẞ", "gross"),
    ("Łódź", "lodz"),
    ("Ørsted Ærø", "orsted aero"),
    ("Đà Nẵng", "da nang"),
    ("ISPARTA İzmir", "ısparta izmir"),
    ("Isparta", "\u0131sparta"),
    ("Οδυσσεύς", "ΟΔΥΣΣΕΥΣ"),
    ("Ὀδυσσεὺς", "οδυσσευσ"),
    ("Հայաստան", "ՀԱՅԱՍՏԱՆ"),
    ("საქართველო", "ᲡᲐᲥᲐᲠᲗᲕᲔᲚᲝ"),
    ("ꭰꮃ", "ᎠᎳ"),
    ("أحمد", "احمد"),
    ("مُحَمَّد", "محمد"),
    ("مـحـمـد", "محمد"),
    ("שָׁלוֹם", "שלום"),
    ("ﬁsh", "FISH"),
    ("Ｌａｎｄ", "land"),
    ("ｶﾞ", "ガ"),
    ("한국", normalize("NFD", "한국")),
    ("Йога", normalize("NFD", "йога")),
    ("co\u00adop\u200b", "coop"),
    ("a\u00a0b", "a b"),
    ("ＡＳＣＩＩ %_\\", "ascii %_\\"),
    ("", ""),
]
APART = [
    ("мой", "мои"),
    ("Йога", "Иога"),
    ("한", "하"),
    ("が", "か"),
    ("कि", "क"),
    ("กิน", "กน"),
    ("a", "b"),
    ("o", "0"),
    ("ä", "ae"),
]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sa.Connection]:
    sqlite = request.param == "sqlite"
    store = Store(
        f"sqlite:///{tmp_path / 'x.db'}" if sqlite else request.getfixturevalue("postgres_url")
    )
    if not sqlite:
        with store.rebuilding() as rebuilding:
            rebuilding.exec_driver_sql(postgres_function())
    with store.unit(writes=False) as unit:
        yield unit.connection
    store.close()


def in_database(connection: sa.Connection, texts: Sequence[str]) -> list[str]:
    query = sa.select(folded(sa.bindparam("said", type_=sa.String)))
    return [connection.execute(query, {"said": each}).scalar_one() for each in texts]


def test_texts_that_differ_by_case_and_accents_are_equal(connection: sa.Connection) -> None:
    first, second = zip(*ALIKE, strict=True)

    assert in_database(connection, first) == in_database(connection, second)
    assert [fold(each) for each in first] == in_database(connection, first)


def test_texts_that_differ_by_a_letter_are_different(connection: sa.Connection) -> None:
    first, second = zip(*APART, strict=True)
    found = zip(in_database(connection, first), in_database(connection, second), strict=True)

    assert [a for a, b in found if a == b] == []
    assert in_database(connection, first) == [fold(each) for each in first]


def test_both_databases_fold_each_letter_as_python_does(connection: sa.Connection) -> None:
    letters = [chr(code) for code in range(1, 0x1F000) if not 0xD800 <= code < 0xE000]
    changed = [each for each in letters if fold(each) != each or not each.isalnum()]

    (found,) = in_database(connection, ["\n".join(changed)])

    assert found.split("\n") == "\n".join(map(fold, changed)).split("\n")


def test_many_marks_take_little_time_and_are_folded_alike(connection: sa.Connection) -> None:
    texts = ["a" + "\u0301\u0323" * 50_000, "か" + "\u3099\u093c" * 50_000 + "b", "\u093c" * 31]

    assert in_database(connection, texts) == [fold(each) for each in texts]


def test_an_empty_result_of_folding_stays_empty(connection: sa.Connection) -> None:
    query = sa.select(folded(sa.cast(sa.null(), sa.String)))

    assert connection.execute(query).scalar() is None


def test_a_mask_keeps_its_wildcards_and_no_wide_ones() -> None:
    assert fold_mask("%É_\uff05\\") == "%e_\\%\\\\"

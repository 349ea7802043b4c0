"""Names of stored files (U6): hostile ones are made safe, the others stay what they were."""

import re
from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import PNG, served, stored_path, upload
from contract.worlds import one_page
from hypothesis import given
from hypothesis import strategies as st

from landyard_uploads.names import LONGEST, extension_of, stored_name

SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")

NAMES = {
    "photo.png": "photo.png",
    "PHOTO.PNG": "PHOTO.png",
    "Фото.png": "Foto.png",
    "Щука ёлки.png": "Shchuka_elki.png",
    "\u0438\u0306\u043e\u0434.png": "yod.png",  # a letter in two parts
    "naïve.png": "naive.png",
    "my photo (1).png": "my_photo__1_.png",
    "(1).png": "_1_.png",
    " .png": "_.png",
    "a.b.c.png": "a.b.c.png",
    "photo": "photo.png",
    "": "image.png",
    ".": "image.png",
    "..": "image.png",
    "...png": "image.png",
    ".png": "image.png",
    ".htaccess": ".htaccess.png"[1:],
    "../../etc/passwd": "passwd.png",
    "..\\..\\boot.ini": "boot.png",
    "C:\\Users\\ann\\me.png": "me.png",
    "/etc/passwd": "passwd.png",
    "a/": "image.png",
    "a\\": "image.png",
    "a.png/..": "image.png",
    "a\0b.png": "ab.png",
    "a\r\nSet-Cookie: x=1.png": "aSet-Cookie_x1.png",
    'a"; filename="b.png': "a_filenameb.png",
    "a%2e%2e%2fb.png": "a2e2e2fb.png",
    "%00.png": "00.png",
    "a?b#c.png": "abc.png",
    "a;b&c=d.png": "abcd.png",
    "<script>alert(1)</script>.png": "script.png",
    "x' onerror='a.png": "x_onerrora.png",
    "a,b.png": "ab.png",
    "a:b.png": "ab.png",
    "a|b*c.png": "abc.png",
    "$(rm -rf).png": "_rm_-rf_.png",
    "`id`.png": "id.png",
    "-rf.png": "rf.png",
    "~root.png": "root.png",
    "con.png": "image.png",
    "NUL.tar.png": "image.png",
    "com1.png": "image.png",
    "shell.php.png": "shell.php.png",
    "shell.php": "shell.png",
    "trailing.": "trailing.png",
    "trailing. .png": "trailing._.png",
    "photo.png ": "photo.png",
    "\u202egnp.exe": "gnp.png",
    "\ufeffphoto.png": "photo.png",
    "a\u2028b.png": "ab.png",
    "a\tb.png": "ab.png",
    "a\x7fb\x9fc.png": "abc.png",
    "名前.png": "MingQian.png",
    "\U0001f600.png": "grinning.png",
    "x" * 500 + ".png": "x" * (LONGEST - 4) + ".png",
    "x" * 115 + "....." + "y" * 50 + ".png": "x" * 115 + ".png",
    "a" * 300: "a" * (LONGEST - 4) + ".png",
}


@pytest.mark.rule("U6")
@pytest.mark.parametrize("given_name", NAMES, ids=ascii)
def test_U6_names(given_name: str) -> None:
    assert stored_name(given_name, "png") == NAMES[given_name]


@pytest.mark.rule("U6")
@given(st.text() | st.from_regex(r"[./\\ ()%\x00-\x1f]*\.?[a-z]{0,6}"))
def test_U6_whatever_the_name_it_is_safe(name: str) -> None:
    stored = stored_name(name, "webp")

    assert SAFE.fullmatch(stored)
    assert stored.endswith(".webp")
    assert len(stored) <= LONGEST
    assert not stored.lower().startswith(("con.", "nul.", "aux.", "prn."))


@pytest.mark.rule("U6", "U7")
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_U6_the_stored_name_is_the_last_segment_of_src(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    hostile = [name for name in NAMES if "\0" not in name]

    answers: dict[str, Any] = {name: upload(service, name=name) for name in hostile}

    assert len(hostile) > 40
    for name, answer in answers.items():
        src = answer.result["src"]
        assert src.rpartition("/")[2] == NAMES[name]
        assert stored_path(service, src).is_file()
        assert served(service, answer) == PNG


@pytest.mark.parametrize(
    ("name", "extension"),
    [("a.PNG", "png"), ("a.jpeg ", "jpeg"), ("a", ""), ("a.", ""), ("a.toolong", ""), (".x", "x")],
)
def test_extensions(name: str, extension: str) -> None:
    assert extension_of(name) == extension

"""The command `site`."""

from pathlib import Path

import pytest
from contract.worlds import CODE, EDITOR, as_user, row, stored, user, world
from kernel.commands import Run, failure, listing

from landyard.testing import Service

TEMPLATES = [
    {"code": "shop", "type": "STORE", "title": "Ours", "blocks": [{"code": CODE}]},
    {"code": "wrong", "fields": {"CODE": "a/b"}},
]


def _service(tmp_path: Path) -> Service:
    editor = user(EDITOR, sites_access=False, rights={"7": ["view"]})
    return Service(data=tmp_path / "data", world=world(users=[editor], templates=TEMPLATES))


@pytest.mark.rule("B1", "P12")
def test_a_new_site_is_served_and_belongs_to_its_owner(tmp_path: Path, landyard: Run) -> None:
    words = ("--owner", str(EDITOR), "--template", "shop", "--title", "Boats")
    more = ("--language", "AR", "--json")
    with _service(tmp_path) as service:
        (made,) = listing(landyard("site", "add", "boats", *words, *more))
        shown = service.get("/boats/")
        renamed = {"lid": made["page"], "fields": {"TITLE": "Ships"}}
        answer = service.call("landing.landing.update", renamed, **as_user(EDITOR))
        kept = row(service, made["page"])
        rights = [each["site_id"] for each in stored(service, "landing_right", user_id=EDITOR)]

    assert made["address"].endswith("/boats/")
    assert (shown.status_code, "<title>Boats" in shown.text) == (200, True)
    assert '<html lang="ar" dir="rtl">' in shown.text
    assert answer.result is True
    assert (kept["created_by"], kept["site_id"]) == (EDITOR, made["id"])
    assert sorted(rights) == [7, made["id"]]


def test_a_site_from_a_site_template_has_all_its_pages(tmp_path: Path, landyard: Run) -> None:
    with _service(tmp_path) as service:
        words = ("--owner", "1", "--template", "agency", "--title", "Ours")
        (made,) = listing(landyard("site", "add", "ours", *words, "--json"))
        main, below = service.get("/ours/"), service.get("/ours/work/ferry-line/")
        pages = stored(service, "landing_page", site_id=made["id"])

    assert (main.status_code, "<title>Ours" in main.text) == (200, True)
    assert 'href="/ours/work/ferry-line/"' in main.text
    assert (below.status_code, "<title>The ferry line" in below.text) == (200, True)
    assert len(pages) == 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["site-7", "--owner", "1"], "there is a site 'site-7' already"),
        (["rest", "--owner", "1"], "code: 'rest'"),
        (["a b", "--owner", "1"], "code: must be one segment"),
        (["new", "--owner", "99"], "there is no user 99"),
        (["new", "--owner", "1", "--template", "none"], "there is no template 'none'"),
        (["new", "--owner", "1", "--template", "wrong"], "template 'wrong'"),
        (["new", "--owner", "1", "--domain", "http://x"], "domain: must be a bare host"),
        (["new", "--owner", "1", "--domain", "localhost"], "domain: 'localhost' is a host of"),
        (["new", "--owner", "1", "--language", "german"], "language: must be a language tag"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_made(
    tmp_path: Path, landyard: Run, words: list[str], message: str
) -> None:
    with _service(tmp_path) as service:
        before = stored(service, "landing_site"), stored(service, "landyard_user")

        assert message in failure(landyard("site", "add", *words))
        assert (stored(service, "landing_site"), stored(service, "landyard_user")) == before

"""Files that visitors send are checked, stored apart, and readable only by the form's owners."""

import base64
import threading
from typing import Any

import pytest
from contract.pictures import drawn, encoded
from msgspec import structs
from plugins.forms.site import FORM, OTHER, Visitor, card, form_with, kept, multipart, serving

from landyard_forms import submitting
from landyard_forms.answers import read_sent
from landyard_forms.words import words_of

PDF = b"%PDF-1.7\n1 0 obj << >> endobj\ntrailer << >>\n%%EOF\n"
PNG = encoded(drawn(2, 2))
WITH_FILE = form_with(card("text", "name"), card("file", "photo", options="png; pdf"))
NEEDED = form_with(card("file", "photo", required=True))


def rows(service: Any) -> int:
    with service.kernel.store.unit(writes=False) as unit:
        return int(unit.connection.exec_driver_sql("SELECT count(*) FROM forms_file").scalar())


def test_a_form_has_a_field_for_a_file() -> None:
    with serving(WITH_FILE) as service:
        page = service.get("/shop/").text

        assert ' enctype="multipart/form-data"' in page
        assert '<input type="file" id="f90-photo" name="photo"' in page
        assert 'accept=".png,.pdf"' in page
        assert "PNG, PDF" in page


@pytest.mark.parametrize(
    ("name", "content", "stored", "kind"),
    [
        ("Boat.PNG", PNG, "Boat.png", "image/png"),
        ("plan.pdf", PDF, "plan.pdf", "application/pdf"),
        ("../../etc/boat.exe", PNG, "boat.png", "image/png"),
        ("\u202e", PDF, "image.pdf", "application/pdf"),
        ("<script>.svg", PDF, "script.pdf", "application/pdf"),
    ],
)
def test_a_file_is_stored_for_the_owners(name: str, content: bytes, stored: str, kind: str) -> None:
    with serving(WITH_FILE) as service:
        sent = Visitor(service).attach({"name": "Ann"}, photo=(name, content))

        assert sent.status_code == 303
        (submission,) = kept(service)
        answer = submission["answers"][1]
        assert answer == {
            "name": "photo", "label": "The photo", "value": stored, "size": len(content)
        }  # fmt: skip
        params = {"lid": 10, "id": submission["id"], "name": "photo"}
        file = service.result("landyard.form.file", params)
        assert (file["name"], file["type"], file["size"]) == (stored, kind, len(content))
        assert base64.b64decode(file["content"]) == content
        assert service.call("landyard.form.file", params, user=2, webhook=OTHER).error == (
            "ACCESS_DENIED"
        )
        for other in ({"id": 99}, {"name": "name"}):
            assert service.result("landyard.form.file", params | other) is None
        assert stored in service.result("landyard.form.export", lid=10)


def test_a_file_of_a_visitor_has_no_public_address_and_is_no_upload() -> None:
    with serving(WITH_FILE) as service:
        Visitor(service).attach({}, photo=("a.png", PNG))

        folder = service.kernel.settings.data
        assert rows(service) == 1
        assert [file for file in folder.rglob("*") if file.suffix == ".png"] == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.png", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        ("a.png", b"\x89PNG\r\n\x1a\n broken"),
        ("a.gif", b"GIF89a"),
        ("a.pdf", b"%PDF-1.7 without an end"),
        ("a.pdf", b"MZ" + PDF),
        ("a.png", b"\xff\xd8\xff\xe0"),
        ("a.html", b"<html><script>alert(1)</script>"),
        ("a.png", b""),
    ],
)
def test_a_file_of_a_wrong_kind_is_refused(name: str, content: bytes) -> None:
    with serving(WITH_FILE) as service:
        refused = Visitor(service).attach({"name": "Ann"}, photo=(name, content))

        assert refused.status_code == 422
        assert "This file cannot be taken" in refused.text
        assert 'value="Ann"' in refused.text
        assert (kept(service), rows(service)) == ([], 0)


def test_a_kind_that_the_form_does_not_list_is_refused() -> None:
    content = form_with(card("file", "photo", options="pdf"))
    with serving(content) as service:
        assert Visitor(service).attach({}, photo=("a.png", PNG)).status_code == 422
        assert Visitor(service).attach({}, photo=("a.pdf", PDF)).status_code == 303


def test_a_missing_required_file_is_asked_for() -> None:
    with serving(NEEDED) as service:
        nothing = (
            b'--x\r\nContent-Disposition: form-data; name="photo"; filename=""\r\n'
            b"Content-Type: application/octet-stream\r\n\r\n\r\n--x--\r\n"
        )
        visitor, kind = Visitor(service), {"Content-Type": "multipart/form-data; boundary=x"}
        for sent in (visitor.fill({"photo": "a.png"}), visitor.send(nothing, **kind)):
            assert sent.status_code == 422
            assert "Please fill this in" in sent.text


def test_a_file_must_be_chosen_again_after_any_mistake() -> None:
    content = form_with(card("mail", "mail", required=True), card("file", "photo"))
    with serving(content) as service:
        refused = Visitor(service).attach({"mail": "ann"}, photo=("a.png", PNG))

        assert "Please choose the file once more" in refused.text
        assert rows(service) == 0


def test_a_file_for_an_unknown_field_is_refused() -> None:
    with serving(WITH_FILE) as service:
        assert Visitor(service).attach({}, name=("a.png", PNG)).status_code == 422
        assert Visitor(service).attach({}, other=("a.png", PNG)).status_code == 422
        assert kept(service) == []


def test_files_are_limited_per_submission_and_per_form() -> None:
    large = PDF[:-6] + b" " * 1_100_000 + b"%%EOF\n"
    with serving(WITH_FILE, forms={"file_megabytes": 1, "megabytes": 1}) as service:
        visitor = Visitor(service)
        assert "at most 1 MB" in visitor.attach({}, photo=("a.pdf", large)).text
        assert visitor.attach({}, photo=("a.pdf", large * 2)).status_code == 413
        fits = PDF[:-6] + b" " * 600_000 + b"%%EOF\n"
        assert visitor.attach({}, photo=("a.pdf", fits)).status_code == 303
        assert visitor.attach({}, photo=("b.pdf", fits)).status_code == 503
        assert rows(service) == 1


def test_one_submission_with_files_is_checked_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Slow files must not take the threads of visitors who read pages or send no files."""
    lock = threading.Lock()
    monkeypatch.setattr(submitting, "_PATIENCE", 0.1)
    with serving(WITH_FILE) as service:
        own = submitting.FormHandler(service.kernel)
        monkeypatch.setattr(own, "_looking", lock)
        form = own.find(FORM)
        assert form is not None
        kind, body = multipart({}, {"photo": ("a.png", PNG)})
        sent = read_sent(form[1], body, kind, words_of("en"))

        with lock:
            assert own._checked_files(form[1], sent) is None
            assert own._checked_files(form[1], structs.replace(sent, files={})) == ((), ())
        taken = own._checked_files(form[1], sent)
        assert taken is not None
        assert [each.kind for each in taken[0]] == ["PNG"]


def test_another_content_is_another_submission() -> None:
    with serving(WITH_FILE) as service:
        visitor = Visitor(service)
        for content in (PDF, PDF, PDF + b"\n"):
            assert visitor.attach({}, photo=("a.pdf", content)).status_code == 303
        assert len(kept(service)) == 2


def test_files_are_deleted_with_the_submission() -> None:
    with serving(WITH_FILE, forms={"days": 7}) as service:
        visitor = Visitor(service)
        visitor.attach({}, photo=("a.png", PNG))
        service.result("landyard.form.remove", lid=10, ids=[kept(service)[0]["id"]])
        assert rows(service) == 0

        visitor.attach({}, photo=("a.png", PNG))
        service.later(days=8)
        service.run_jobs()
        assert rows(service) == 0


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"--x\r\n\r\nx"),
        ("multipart/form-data; boundary=x", b""),
        ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data\r\n\r\na\r\n"),
        ('multipart/form-data; boundary="', b"--x--"),
        ("multipart/form-data; boundary=x", b"--x\r\n" * 500),
        (";;;=", b"name=Ann&name=Ben&photo=1"),
    ],
)
def test_whatever_is_sent_as_files_is_answered(kind: str, body: bytes) -> None:
    with serving(NEEDED) as service:
        assert Visitor(service).send(body, **{"Content-Type": kind}).status_code == 422
        assert (service.result("landyard.form.submissions", lid=10, form=FORM), rows(service)) == (
            [],
            0,
        )

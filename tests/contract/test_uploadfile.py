"""`landing.block.uploadfile`: its parameters, its codes, and the rows and files it writes."""

import base64
import threading
import time
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

import pytest
import sqlalchemy as sa
from conftest import MakeService
from contract.pictures import (
    METHOD,
    PNG,
    drawn,
    encoded,
    files,
    on_folder,
    picture,
    served,
    shown,
    upload,
)
from contract.rules import rows
from contract.two_calls import meet, on_postgres
from contract.worlds import (
    DRAFT,
    PAGE,
    PUBLISHED,
    as_user,
    block,
    everything,
    find,
    one_page,
    page,
    stored,
    tree,
    user,
    world,
)
from corpora import read_data
from PIL import Image

import landyard_pictures.saving
from landyard.testing import WEBHOOK, Service
from landyard.web.wire import Incoming
from landyard_content.files import folder_store
from landyard_content.files.folder_store import FolderStore

on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=one_page())


@pytest.mark.rule("U2", "U7", *rows(METHOD, "block picture result.id result.src"))
def test_U2_the_stored_bytes_are_the_uploaded_ones(service: Service) -> None:
    answer = upload(service, name="team.png")

    assert set(answer.result) == {"id", "src"}
    assert isinstance(answer.result["id"], int)
    assert answer.result["src"].endswith("/team.png")
    assert served(service, answer) == PNG
    (row,) = stored(service, "landing_file")
    assert (row["id"], row["name"], row["type"]) == (answer.result["id"], "team.png", "image/png")
    assert (row["size"], row["page_id"], row["block_id"]) == (len(PNG), PAGE, DRAFT)
    assert (row["temporary"], row["created_by"]) == (False, 1)


@pytest.mark.rule("C3", "C7", *rows(METHOD, "picture"))
def test_C3_a_file_in_a_form_is_the_picture(service: Service) -> None:
    form = {"data": {"block": str(DRAFT)}, "files": {"picture": ("my team.png", PNG)}}

    src = service.request("POST", f"/rest/1/{WEBHOOK}/{METHOD}", **form).json()["result"]["src"]

    assert src.endswith("/my_team.png")
    assert service.get(src).content == PNG


@on_sqlite
@pytest.mark.rule("B2", *rows(METHOD, "block"))
def test_B2_accepts_a_draft_block_and_a_published_one(service: Service) -> None:
    for block_id in (DRAFT, PUBLISHED, str(DRAFT), float(DRAFT)):
        assert upload(service, block=block_id).error is None


@on_sqlite
@pytest.mark.rule(*rows(METHOD, "picture"))
def test_an_upload_leaves_the_content_alone(service: Service) -> None:
    before = everything(service)

    upload(service)

    after = everything(service)
    assert {name for name in after if after[name] != before[name]} <= {
        "landing_file",
        "audit_row",
        "sqlite_sequence",
    }


@on_sqlite
@pytest.mark.rule("U7", "B10")
def test_U7_an_uploaded_picture_is_placed_and_shown(service: Service) -> None:
    src = upload(service).result["src"]

    placed = {".pic": {"src": src, "alt": "x", "src2x": src}, ".bg": {"src": src}}
    service.result("landing.block.updatenodes", lid=PAGE, block=DRAFT, data=placed)
    with service.kernel.store.session(writes=True) as session:
        from landyard_content.pages.publication import publish

        publish(session.connection(), PAGE, service.kernel.now())
    html = service.get(f"/site-7/page-{PAGE}/")

    assert find(html.text, ".pic")[0].attr("src") == src
    assert src in str(find(html.text, ".pic")[0].attr("srcset"))
    assert src in str(find(html.text, ".bg")[0].attr("style"))
    assert "img-src 'self'" in html.headers["content-security-policy"]


FORMS = {
    "list": lambda text: urlencode({"block": DRAFT, "picture[0]": "a.png", "picture[1]": text}),
    "unnumbered": lambda text: (
        f"block={DRAFT}&picture[]=a.png&picture[]={quote(text, safe='')}&params[width]=32"
        "&params[height]=32&temp=1"
    ),
}


@on_sqlite
@pytest.mark.rule("C3", *rows(METHOD, "picture"))
@pytest.mark.parametrize("form", FORMS)
def test_C3_forms_carry_pictures(service: Service, form: str) -> None:
    body = FORMS[form](base64.b64encode(PNG).decode())
    kind = "application/x-www-form-urlencoded"

    answer = service.send(
        Incoming("POST", f"/1/{WEBHOOK}/{METHOD}", body=body.encode(), content_type=kind)
    )

    assert shown(service, answer).size == ((64, 48) if form == "list" else (32, 24))


@on_sqlite
@pytest.mark.rule(*rows(METHOD, "picture"))
@pytest.mark.parametrize(
    "sent",
    [
        {"0": "a.png", "1": base64.b64encode(PNG).decode()},
        ["a.png", base64.encodebytes(PNG).decode()],
        ["a.png", base64.encodebytes(PNG).decode().replace("\n", "\r\n ")],
        ["a.png", base64.b64encode(PNG).decode().rstrip("=")],
    ],
    ids=["map", "line breaks", "wide line breaks", "no padding"],
)
def test_base64_as_clients_write_it(service: Service, sent: Any) -> None:
    assert served(service, upload(service, picture=sent)) == PNG


@on_sqlite
@pytest.mark.rule(*rows(METHOD, "picture"))
def test_base64_that_is_long_is_decoded_whole(service: Service) -> None:
    noise = encoded(Image.effect_noise((600, 600), 90))
    text = base64.b64encode(noise).decode()
    assert len(text) > 1 << 18  # a piece has this many characters

    broken = text[: (1 << 18) - 2] + "==" + text[1 << 18 :]

    assert served(service, upload(service, picture=["a.png", text])) == noise
    assert upload(service, picture=["a.png", broken]).error == "FILE_ERROR"


BROKEN = read_data(__file__, "BROKEN", dict[str, Any])


@pytest.mark.rule("C1", "C9", *rows(METHOD, "FILE_ERROR picture"))
def test_FILE_ERROR_for_a_file_that_is_no_picture_and_nothing_is_written(service: Service) -> None:
    before = everything(service)

    answers = {name: upload(service, picture=sent).error for name, sent in BROKEN.items()}

    assert answers == dict.fromkeys(BROKEN, "FILE_ERROR")
    assert everything(service) == before
    assert files(service) == {}


@on_sqlite
@pytest.mark.rule("C7", "C8", *rows(METHOD, "MISSING_PARAMS"))
@pytest.mark.parametrize(
    ("sent", "named"),
    [
        ({}, "block, picture"),
        ({"block": DRAFT}, "picture"),
        ({"picture": "x"}, "block"),
        ({"block": None, "picture": None}, "block, picture"),
    ],
)
def test_MISSING_PARAMS_for_absent_parameters(
    make_service: MakeService, sent: dict[str, Any], named: str
) -> None:
    answer = make_service(world=one_page()).call(METHOD, sent)

    assert answer.error == "MISSING_PARAMS"
    assert answer.body["error_description"].endswith(f"missing: {named}")


@on_sqlite
@pytest.mark.rule("C5", "C9", *rows(METHOD, "block BLOCK_NOT_FOUND"))
@pytest.mark.parametrize("block_id", [0, -1, 999, 2**70, "abc", True, [DRAFT], {}, "", 1.5])
def test_BLOCK_NOT_FOUND_for_a_value_that_names_no_block(
    make_service: MakeService, block_id: Any
) -> None:
    assert upload(make_service(world=one_page()), block=block_id).error == "BLOCK_NOT_FOUND"


@pytest.mark.rule("R1", "R2", "R3", "R6", *rows(METHOD, "BLOCK_NOT_FOUND"))
def test_BLOCK_NOT_FOUND_for_blocks_the_caller_may_not_edit(make_service: MakeService) -> None:
    callers = [
        user(2, sites_access=True, rights={"*": ["view"]}),
        user(3, sites_access=False, rights={"*": ["edit"]}),
        user(4, sites_access=True),
        user(5, sites_access=True, rights={"*": ["settings", "publish", "delete"]}),
    ]
    service = make_service(world=tree(users=callers))
    sent: dict[str, Any] = {"picture": picture(PNG)}

    refused = [
        service.call(METHOD, block=100, **sent, **as_user(each)).error for each in range(2, 6)
    ]
    refused += [service.call(METHOD, block=each, **sent).error for each in (130, 131, 300)]

    assert refused == ["BLOCK_NOT_FOUND"] * 7
    assert stored(service, "landing_file") == []
    assert files(service) == {}


@on_sqlite
@pytest.mark.rule("R5", *rows(METHOD, "scope"))
@pytest.mark.parametrize(
    ("block_id", "scope", "error"),
    [
        (100, None, None),
        (100, "page", None),
        (100, "KNOWLEDGE", "BLOCK_NOT_FOUND"),
        (100, "nonsense", "BLOCK_NOT_FOUND"),
        (300, "knowledge", None),
        (300, None, "BLOCK_NOT_FOUND"),
    ],
)
def test_R5_the_scope_must_fit_the_site(
    make_service: MakeService, block_id: int, scope: str | None, error: str | None
) -> None:
    assert upload(make_service(world=tree()), block=block_id, scope=scope).error == error


@on_sqlite
@pytest.mark.rule("C1")
def test_C1_the_block_is_judged_before_the_picture(service: Service) -> None:
    assert upload(service, block=999, picture="no address").error == "BLOCK_NOT_FOUND"


@on_sqlite
@pytest.mark.rule("C9", "U3", *rows(METHOD, "params params.width params.height params.resize_type"))
@pytest.mark.parametrize(
    "params",
    read_data(__file__, "U2 without both sides the bytes stay", list[Any]),
    ids=repr,
)
def test_U2_without_both_sides_the_bytes_stay(service: Service, params: Any) -> None:
    assert served(service, upload(service, params=params)) == PNG


@on_sqlite
@pytest.mark.rule("C6", "U7", *rows(METHOD, "temp"))
@pytest.mark.parametrize(
    ("temp", "kept"),
    read_data(__file__, "C6 temp", list[tuple[Any, bool]]),
)
def test_C6_temp_makes_the_file_temporary(service: Service, temp: Any, kept: bool) -> None:
    upload(service, temp=temp)

    assert stored(service, "landing_file")[0]["temporary"] == kept


@on_sqlite
@pytest.mark.rule("C9", *rows(METHOD, "ext"))
@pytest.mark.parametrize("ext", ["svg", "exe", "", "../x", 5, [], {}, None])
def test_the_parameter_ext_does_not_change_the_array_form(
    make_service: MakeService, ext: Any
) -> None:
    src = upload(make_service(world=one_page()), ext=ext).result["src"]

    assert src.endswith("/picture.png")


@on_sqlite
@pytest.mark.rule("U1", "U6")
@pytest.mark.parametrize(
    ("kind", "name", "stored_as"),
    read_data(__file__, "U1 names", list[tuple[str, str, str]]),
)
def test_U1_the_extension_follows_the_content(
    service: Service, kind: str, name: str, stored_as: str
) -> None:
    answer = upload(service, encoded(drawn(), kind), name)

    assert answer.result["src"].rpartition("/")[2] == stored_as


@on_sqlite
@pytest.mark.rule("U4", *rows(METHOD, "FILE_ERROR"))
def test_U4_a_file_over_the_size_limit_is_refused(make_service: MakeService) -> None:
    exactly = make_service(world=one_page(), uploads={"max_bytes": len(PNG)})
    less = make_service(uploads={"max_bytes": len(PNG) - 1})
    far_less = make_service(uploads={"max_bytes": 10})

    assert upload(exactly).error is None
    assert upload(less).error == "FILE_ERROR"
    assert upload(far_less).error == "FILE_ERROR"


@on_sqlite
@pytest.mark.rule("U4")
def test_U4_a_resized_picture_over_the_size_limit_is_refused(make_service: MakeService) -> None:
    service = make_service(world=one_page(), uploads={"max_bytes": 2000})
    large = {"width": 2000, "height": 2000, "resize_type": 2}

    assert upload(service, params={**large, "width": 20, "height": 20}).error is None
    assert upload(service, params=large).error == "FILE_ERROR"


@pytest.mark.rule("C1")
def test_C1_an_upload_whose_row_fails_leaves_no_bytes(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_service(world=one_page(), raise_crashes=False)
    before = everything(service)
    recorded: list[dict[str, bytes]] = []

    def fails(*_: Any) -> int:
        recorded.append(files(service))
        raise RuntimeError("midway")

    monkeypatch.setattr("landyard_pictures.saving._add", fails)

    assert upload(service).error == "INTERNAL_SERVER_ERROR"
    assert PNG in recorded[0].values()
    assert files(service) == {}
    assert everything(service) == before


@on_sqlite
@on_folder
@pytest.mark.rule("C1", *rows(METHOD, "FILE_ERROR"))
@pytest.mark.parametrize("failing", ["_open_mark", "_sync"])
def test_FILE_ERROR_when_saving_fails(
    service: Service, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(FolderStore if failing == "_open_mark" else folder_store, failing, full)

    assert upload(service).error == "FILE_ERROR"
    assert files(service) == {}
    assert stored(service, "landing_file") == []


@pytest.mark.rule("C1", *rows(METHOD, "BLOCK_NOT_FOUND"))
def test_a_block_deleted_during_the_download_is_not_found(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch(*_: Any) -> bytes:
        service.result("landing.landing.delete", lid=PAGE)
        return PNG

    monkeypatch.setattr("landyard_pictures.uploadfile.fetch", fetch)

    assert upload(service, picture="https://example.com/a.png").error == "BLOCK_NOT_FOUND"
    assert files(service) == {}


@pytest.mark.rule("P10")
def test_P10_a_page_deleted_during_an_upload_also_deletes_the_file(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = landyard_pictures.saving._add

    def delete() -> None:
        service.result("landing.landing.delete", lid=PAGE)

    deleting = threading.Thread(target=delete)

    def meanwhile(*given: Any) -> int:
        added = add(*given)
        deleting.start()
        time.sleep(0.5)  # the deletion waits for the block that the upload locks
        return added

    monkeypatch.setattr("landyard_pictures.saving._add", meanwhile)

    assert upload(service).error is None
    deleting.join()
    assert stored(service, "landing_page") == []
    assert stored(service, "landing_file") == []
    assert files(service) == {}


@pytest.mark.rule("P10", *rows(METHOD, "BLOCK_NOT_FOUND"))
@on_postgres
def test_P10_an_upload_that_waits_for_a_deletion_finds_no_block(service: Service) -> None:
    delete = partial(service.result, "landing.landing.delete", lid=PAGE)

    met = meet(service, delete, partial(upload, service), after="FOR UPDATE")

    assert (met.first, met.second.error, met.waited) == (True, "BLOCK_NOT_FOUND", True)
    assert stored(service, "landing_file") == []
    assert files(service) == {}


def test_no_call_waits_for_a_download(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    fetching, done = threading.Event(), threading.Event()

    def fetch(*_: Any) -> bytes:
        fetching.set()
        assert done.wait(20)
        return PNG

    monkeypatch.setattr("landyard_pictures.uploadfile.fetch", fetch)
    answers: list[Any] = []

    def slow() -> None:
        answers.append(upload(service, picture="https://example.com/a.png"))

    thread = threading.Thread(target=slow)
    thread.start()
    assert fetching.wait(20)

    edited = service.call(
        "landing.block.updatenodes", lid=PAGE, block=DRAFT, data={".title": "New"}
    )
    done.set()
    thread.join()

    assert edited.error is None
    assert edited.body["time"]["duration"] < 2
    assert answers[0].error is None


@on_sqlite
def test_two_uploads_of_one_picture_are_two_files(service: Service) -> None:
    first, second = upload(service), upload(service)

    assert first.result["id"] != second.result["id"]
    assert first.result["src"] != second.result["src"]
    assert [*files(service).values()] == [PNG, PNG]


@on_sqlite
def test_a_block_marked_deleted_exists(make_service: MakeService) -> None:
    service = make_service(world=world(page(PAGE, block(DRAFT, deleted=True))))

    assert upload(service).error is None


@on_sqlite
def test_uploads_run_on_threads_of_their_own(make_service: MakeService) -> None:
    service: Service = make_service(world=one_page())

    method = service.kernel.methods.find(METHOD)

    assert method is not None
    assert method.slow
    assert method.writes


@on_sqlite
def test_the_index_finds_blocks_that_mention_files(make_service: MakeService) -> None:
    from landyard_content.files.records import MENTIONS

    service = make_service(world=one_page())
    with service.kernel.store.engine.connect() as connection:
        for queries in MENTIONS[:2]:
            query = str(queries["sqlite"].compile(service.kernel.store.engine))
            plan = connection.execute(sa.text(f"EXPLAIN QUERY PLAN {query}")).all()
            assert "ix_landing_block_files" in str(plan)


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_no_index_of_blocks_reads_what_an_edit_writes(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    with service.kernel.store.engine.connect() as connection:
        indexes = connection.execute(
            sa.text("SELECT indexdef FROM pg_indexes WHERE tablename = 'landing_block'")
        ).scalars()
        text = " ".join(indexes)
    assert "WHERE mentions_files" in text
    assert "content" not in text  # otherwise each edit would add entries to all indexes


@on_sqlite
def test_P10_of_a_page_that_is_erased_only_blocks_that_mention_files_are_read(
    make_service: MakeService,
) -> None:
    from landyard_content.pages.erasing import _ONE, _SEVERAL

    service = make_service(world=one_page())
    with service.kernel.store.engine.connect() as connection:
        for erasing, given in ((_ONE, {"page_id": PAGE}), (_SEVERAL, {"page_ids": [PAGE]})):
            find = erasing["sqlite"].find
            find.all(connection, **given)
            query = find._compiled["sqlite"]
            plan = connection.exec_driver_sql(
                f"EXPLAIN QUERY PLAN {query.text}", tuple(query.bind(given))
            ).all()
            assert "landing_block USING INDEX ix_landing_block_files (page_id=?)" in str(plan)

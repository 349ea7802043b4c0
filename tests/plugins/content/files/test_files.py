"""Files: how they are served (H4), and when they are deleted with a page (P10)."""

from typing import Any

import pytest
from conftest import MakeService
from contract.pictures import (
    PNG,
    drawn,
    encoded,
    files,
    is_stored,
    moving,
    on_folder,
    picture,
    stored_path,
    upload,
)
from contract.worlds import PAGE, block, one_page, page, stored, world

from landyard.testing import Service
from landyard_content.files.folder_store import FolderStore

on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@on_sqlite
@pytest.mark.rule("H4", "U7")
@pytest.mark.parametrize("verb", ["GET", "HEAD"])
def test_H4_headers_of_files(make_service: MakeService, verb: str) -> None:
    service = make_service(world=one_page())
    src = upload(service).result["src"]

    got = service.request(verb, src)

    assert got.status_code == 200
    assert got.content == (PNG if verb == "GET" else b"")
    assert got.headers["content-length"] == str(len(PNG))
    assert got.headers["content-type"] == "image/png"
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["content-disposition"] == f'inline; filename="{src.rpartition("/")[2]}"'
    assert got.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert got.headers["etag"].startswith('"')
    assert "referrer-policy" in got.headers
    policy = got.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy


@on_sqlite
@pytest.mark.rule("H4")
def test_H4_an_unchanged_file_is_not_sent_again(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    src = upload(service).result["src"]
    etag = service.get(src).headers["etag"]

    answer = service.get(src, **{"if-none-match": etag})
    other = service.get(src, **{"if-none-match": '"other"'})

    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", etag)
    assert (other.status_code, other.content) == (200, PNG)


@on_folder
@on_sqlite
@pytest.mark.rule("H4")
def test_H4_a_small_file_is_sent_from_memory_unless_it_is_about_to_be_deleted(
    make_service: MakeService,
) -> None:
    service = make_service(world=one_page())
    src = upload(service).result["src"]
    store = FolderStore(service.kernel.settings.data / "files")
    key, name = src.split("/")[2:]
    path = store.path(key, name)
    assert path is not None

    store.mark_pending(key)
    going = service.get(src).content
    path.write_bytes(b"another")
    gone_on = service.get(src).content
    store.confirm(key)
    kept = service.get(src).content
    path.unlink()

    assert (going, gone_on, kept, service.get(src).content) == (PNG, b"another", *[b"another"] * 2)


@on_sqlite
@pytest.mark.rule("H4")
def test_H4_nginx_is_told_which_file_to_send(make_service: MakeService) -> None:
    service = make_service(world=one_page(), files={"accel_redirect": "/-/stored"})
    src = upload(service).result["src"]
    key, name = src.split("/")[2:]

    for _ in range(2):
        answer = service.get(src)

        assert (answer.status_code, answer.content, answer.headers["content-length"]) == (
            200,
            b"",
            "0",
        )
        assert answer.headers["x-accel-redirect"] == f"/-/stored/{key[:2]}/{key}.{name}"
        assert answer.headers["content-type"] == "image/png"
    assert service.get(f"/files/{key}/none.png").status_code == 404


@on_sqlite
@pytest.mark.rule("U7")
def test_U7_a_large_file_is_sent_whole(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    content = encoded(drawn(900, 700), "BMP")
    assert len(content) > 1_000_000

    assert service.get(upload(service, content).result["src"]).content == content


@on_sqlite
@pytest.mark.rule("U7")
@pytest.mark.parametrize("host", ["testserver", "shop.example", "anything.example:8080"])
def test_U7_files_are_served_on_every_domain(make_service: MakeService, host: str) -> None:
    service = make_service(world=one_page())
    service.load({"sites": [{"id": 8, "code": "shop", "domain": "shop.example"}]})

    assert service.get(upload(service).result["src"], host=host).content == PNG


@on_sqlite
@pytest.mark.rule("H4")
def test_H4_an_svg_runs_no_script(make_service: MakeService) -> None:
    service = make_service(world=one_page(), uploads={"allow_svg": True})
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'

    got = service.get(upload(service, svg, "a.svg").result["src"])

    assert got.headers["content-type"] == "image/svg+xml"
    assert "default-src 'none'" in got.headers["content-security-policy"]
    assert "sandbox" in got.headers["content-security-policy"]


@on_folder
@on_sqlite
@pytest.mark.rule("U7")
def test_no_other_path_is_served(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    src = upload(service).result["src"]
    key, name = src.split("/")[2:]
    root = service.kernel.settings.data / "files"
    (root / "secret.png").write_text("secret")
    (root / "pending" / name).write_text("secret")

    paths = [
        "/files/",
        f"/files/{key}",
        f"/files/{key}/",
        f"/files/{key}/other.png",
        f"/files/{key.upper()}/{name}",
        f"/files/{'0' * 32}/{name}",
        f"/files/{key}/../{key}/{name}/..",
        f"/files/{key}/%2e%2e",
        f"/files/{key}/..%2f{key}%2f{name}",
        f"/files/{key}/%2e%2e%2f%2e%2e%2fsecret.png",
        f"/files/{key}/{name}%00",
        f"/files/{key}/{name}/",
        f"/files/{key}%2f{name}",
        f"/files/pending/{name}",
        f"/files/../files/pending/{name}",
        "/files/%2e%2e/landyard.db",
        "/files/..%2flandyard.db",
        "/files//etc/passwd",
        f"/files/{key[:2]}/{key}",
        f"/files/{key}/.",
    ]
    # Other spellings of the slashes in the file's own address may lead to the file.
    same = {path for path in paths if service.get(path).content == PNG}
    assert same <= {f"/files/{key}/{name}/", f"/files/{key}%2f{name}"}
    assert {service.get(path).status_code for path in paths if path not in same} == {404}


@on_sqlite
def test_a_name_that_cannot_be_a_file_is_no_path(make_service: MakeService, tmp_path: Any) -> None:
    store = FolderStore(tmp_path)
    key = "0" * 32

    assert store.path(key, "a.png") == tmp_path / "00" / key / "a.png"
    store.save(key, "a.png", PNG)
    assert store.path(key, "a.png") == tmp_path / "00" / f"{key}.a.png"
    for wrong_key in ("", "0" * 31, "0" * 33, "../" + "0" * 29, "G" * 32, key + "\n"):
        assert store.path(wrong_key, "a.png") is None
    for wrong_name in ("", ".", "..", ".a", "a/b", "a\\b", "a\0", "é", "a" * 121, "a\n"):
        assert store.path(key, wrong_name) is None


@on_sqlite
def test_a_key_is_written_once(tmp_path: Any, make_service: MakeService) -> None:
    store = FolderStore(tmp_path)
    key = "0" * 32
    store.save(key, "a.png", PNG)

    for _ in range(2):  # while its row is written, and after that
        with pytest.raises(FileExistsError):
            store.save(key, "a.png", b"another")
        store.confirm(key)

    kept = store.path(key, "a.png")
    assert kept is not None
    assert kept.read_bytes() == PNG


@on_folder
@on_sqlite
@pytest.mark.rule("U7")
def test_U7_a_file_in_a_folder_of_its_own_is_served_and_goes(make_service: MakeService) -> None:
    """Earlier versions stored all files in such folders, with the variants beside them."""
    service = make_service(world=one_page())
    src = upload(service).result["src"]
    path = stored_path(service, src)
    key, name = src.split("/")[2:]
    (path.parent / key).mkdir()
    path.rename(path.parent / key / name)
    FolderStore(service.kernel.settings.data / "files").add(key, name, "_w9.webp", b"small")

    kept = service.get(src).content, service.get(f"/files/{key}/_w9.webp").content
    service.result("landing.landing.delete", lid=PAGE)

    assert kept == (PNG, b"small")
    assert files(service) == {}


@on_sqlite
def test_no_variant_is_added_to_a_deleted_file(make_service: MakeService, tmp_path: Any) -> None:
    store = FolderStore(tmp_path / "files")
    key = "0" * 32
    store.save(key, "a.png", PNG)
    store.remove(key, "a.png")

    with pytest.raises(FileNotFoundError):
        store.add(key, "a.png", "_w9.webp", b"small")

    assert {each.name for each in store.root.rglob("*")} == {"pending", "00"}


@on_sqlite
def test_a_file_system_without_links_is_sufficient(
    make_service: MakeService, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError

    store = FolderStore(tmp_path / "files")
    key = "0" * 32
    monkeypatch.setattr("os.link", refuse)

    store.save(key, "a.png", PNG)
    store.mark_pending(key)
    store.confirm(key)

    assert [each.name for each in store.root.rglob("*") if each.is_file()] == [f"{key}.a.png"]


@on_sqlite
def test_a_mark_that_is_the_file_itself_may_be_made_again(
    make_service: MakeService, tmp_path: Any
) -> None:
    """The process died after writing the row; then the removal of the file is undone."""
    store = FolderStore(tmp_path)
    key = "0" * 32
    store.save(key, "a.png", PNG)

    store.mark_pending(key)
    store.confirm(key)

    assert (tmp_path / "00" / f"{key}.a.png").read_bytes() == PNG


# ------------------------------------------------------------------ erasing pages


def html(*sources: str) -> str:
    images = "".join(f'<img class="pic" src="{src}">' for src in sources)
    return f'<section class="landing-block">{images}</section>'


def two_pages(service: Service) -> None:
    service.load(world(page(10, block(100)), page(20, block(200))))


def show(service: Service, page_id: int, *sources: str, **more: Any) -> None:
    service.load(world(page(page_id, block(page_id * 10, content=html(*sources), **more))))


def put(service: Service, page_id: int, **more: Any) -> str:
    sent = {"block": page_id * 10, "picture": picture(PNG), **more}
    return str(service.result("landing.block.uploadfile", sent)["src"])


def erase(service: Service, *page_ids: int) -> None:
    for page_id in page_ids:
        service.result("landing.landing.delete", lid=page_id)


def there(service: Service, *sources: str) -> list[bool]:
    kept = [service.get(src).status_code == 200 for src in sources]
    rows = {row["key"] for row in stored(service, "landing_file")}
    assert [src.split("/")[2] in rows for src in sources] == kept
    assert [is_stored(service, src) for src in sources] == kept
    return kept


@pytest.mark.rule("P10", "state: delete")
def test_P10_the_files_of_a_page_are_deleted_with_it(make_service: MakeService) -> None:
    service = make_service()
    two_pages(service)
    mine, used, temporary = put(service, 10), put(service, 10), put(service, 10, temp=True)
    others = put(service, 20)
    show(service, 10, used)

    erase(service, 10)

    assert there(service, mine, used, temporary, others) == [False, False, False, True]
    assert len(files(service)) == 1


USES: dict[str, Any] = {
    "draft": lambda src: {"content": html(src)},
    "absolute address": lambda src: {"content": html(f"https://pages.example{src}")},
    "background": lambda src: {
        "content": f"<section><div style=\"background-image: url('{src}')\"></div></section>"
    },
    "published": lambda src: {"published_id": 900, "published_content": html(src)},
    "parameters": lambda src: {"params": {"bitrix:catalog.section": {"PICTURE": src}}},
    "deleted mark": lambda src: {"content": html(src), "deleted": True},
}


@pytest.mark.rule("P10")
@pytest.mark.parametrize("use", USES)
def test_P10_files_that_another_page_uses_are_kept(make_service: MakeService, use: str) -> None:
    service = make_service()
    two_pages(service)
    shared, mine = put(service, 10), put(service, 10)
    service.load(world(page(20, block(200, **USES[use](shared)))))

    erase(service, 10)
    assert there(service, shared, mine) == [True, False]
    erase(service, 20)

    assert there(service, shared) == [False]
    assert files(service) == {}


@pytest.mark.rule("P10")
def test_P10_files_in_the_fields_of_another_page_are_kept(make_service: MakeService) -> None:
    service = make_service()
    two_pages(service)
    shared = put(service, 10)
    fields = {"ADDITIONAL_FIELDS": {"METAOG_IMAGE": shared}}
    service.result("landing.landing.update", lid=20, fields=fields)

    erase(service, 10)

    assert there(service, shared) == [True]


@pytest.mark.rule("P10")
def test_P10_a_page_in_the_trash_still_uses_its_files(make_service: MakeService) -> None:
    service = make_service()
    two_pages(service)
    shared, own = put(service, 10), put(service, 20)
    show(service, 20, shared)
    service.result("landing.landing.markDelete", lid=20)

    erase(service, 10)

    assert there(service, shared, own) == [True, True]


@pytest.mark.rule("P10")
def test_P10_files_of_a_living_page_are_kept_whoever_used_them(make_service: MakeService) -> None:
    service = make_service()
    two_pages(service)
    other, temporary = put(service, 20), put(service, 20, temp=True)
    show(service, 10, other, temporary)

    erase(service, 10)

    assert there(service, other, temporary) == [True, True]


@pytest.mark.rule("P10")
def test_P10_a_picture_of_another_host_is_no_file(make_service: MakeService) -> None:
    service = make_service()
    two_pages(service)
    src = put(service, 20)
    show(service, 10, "/files/nothing/a.png", f"/files/{'0' * 32}/a.png", "https://x.example/a.png")

    erase(service, 10)

    assert there(service, src) == [True]


@pytest.mark.rule("P10")
def test_P10_several_pages_are_deleted_together(make_service: MakeService) -> None:
    from landyard_content.files.records import file_store
    from landyard_content.pages.erasing import erase_pages

    service = make_service()
    two_pages(service)
    shared, other = put(service, 10), put(service, 20)
    show(service, 20, shared)
    show(service, 10, other)
    store = file_store(service.kernel)

    with service.kernel.store.unit(writes=True) as unit:
        erase_pages(unit, store, [10, 20])

    assert there(service, shared, other) == [False, False]


@pytest.mark.rule("C1", "P10")
def test_C1_a_deletion_that_fails_leaves_the_files(make_service: MakeService) -> None:
    from landyard_content.files.records import file_store
    from landyard_content.pages.erasing import erase_pages

    service = make_service()
    two_pages(service)
    src = put(service, 10)
    before = files(service)

    def erase_and_fail() -> None:
        with service.kernel.store.unit(writes=True) as unit:
            erase_pages(unit, file_store(service.kernel), [10])
            raise RuntimeError("midway")

    with pytest.raises(RuntimeError, match="midway"):
        erase_and_fail()

    assert there(service, src) == [True]
    assert files(service) == before


@on_sqlite
@pytest.mark.rule("P10")
def test_P10_each_of_many_files_is_found(make_service: MakeService) -> None:
    service = make_service()
    two_pages(service)
    sources = [put(service, 10) for _ in range(30)]
    show(service, 20, *sources[::2])

    erase(service, 10)

    assert there(service, *sources) == [True, False] * 15


@on_sqlite
def test_a_world_may_mention_files(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    src = upload(service).result["src"]

    show(service, PAGE, src)

    assert src in b"".join(service.kernel.dump()).decode()
    assert "landing_file" not in b"".join(service.kernel.dump()).decode()


@on_sqlite
@pytest.mark.rule("U3")
def test_an_animation_is_served_as_it_was_sent(make_service: MakeService) -> None:
    service = make_service(world=one_page())
    content = moving("GIF")

    assert service.get(upload(service, content).result["src"]).content == content

"""Random sequences of every method, compared with a simple model.

After every step the drafts and the public pages equal the model: visitors see changes only after
publication, nothing is lost, and a refused call changes nothing.
"""

import base64
import functools
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from contract.model import HTML, MANIFEST, MISSING, TEMPLATE, Block, Model, Page
from contract.worlds import as_user, everything, site, user, world
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from PIL import Image
from sqlalchemy import Connection, select
from turbohtml import Element, parse_fragment

from landyard.testing import Answer, Service
from landyard_content.pages.publication import publish, unpublish
from landyard_landing.tables import PAGE

HERE, THERE, FOLDER, FAR = 7, 8, 5, 6
MOST_PAGES = 6
ADMIN, VIEWER = 1, 2

callers = st.sampled_from([ADMIN, ADMIN, ADMIN, VIEWER])
words = st.text("abc é<&\"'", max_size=8)
sites = st.sampled_from([0, HERE, THERE, MISSING])
folders = st.sampled_from([0, FOLDER, FAR, MISSING])
picks = st.integers(0, 50)


@functools.cache
def picture() -> str:
    out = io.BytesIO()
    Image.new("RGB", (3, 2), "red").save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


class Pages(RuleBasedStateMachine):
    """Two sites with a folder each; the callers are an admin and a user who may only view."""

    @initialize()
    def start(self) -> None:
        def home(number: int, of: int) -> dict[str, Any]:
            draft = {"id": number * 10, "code": "test.model", "content": HTML}
            return {"id": number, "site": of, "code": f"p{number}", "blocks": [draft]}

        self.service = Service(
            world=world(
                home(10, HERE),
                home(11, HERE),
                home(12, THERE),
                sites=[site(THERE)],
                users=[user(VIEWER, sites_access=True, rights={"*": ["view"]})],
                folders=[
                    {"id": FOLDER, "site": HERE, "code": "folder"},
                    {"id": FAR, "site": THERE, "code": "far"},
                ],
                manifests=[MANIFEST],
                templates=[TEMPLATE],
            )
        )
        self.service.load({"sites": [{"id": HERE, "main_page": 10}]})
        self.model = Model(
            {
                n: Page(of, drafts={n * 10: Block()})
                for n, of in ((10, HERE), (11, HERE), (12, THERE))
            },
            {HERE: 10, THERE: None},
        )
        self.files: dict[str, bytes] = {}

    def teardown(self) -> None:
        if hasattr(self, "service"):
            self.service.close()

    # ------------------------------------------------------------------ the steps

    def call(self, method: str, caller: int, expected: str | None, **params: Any) -> Answer:
        """Call and expect this code; a refused call leaves everything as it was."""
        before = None if expected is None else self.everything()
        answer = self.service.call(method, params, **as_user(caller))
        assert answer.error == expected, (method, params, answer.body)
        if expected is not None:
            assert self.everything() == before
        return answer

    def everything(self) -> Any:
        files = sorted(
            (str(path), path.read_bytes()) for path in self.data.rglob("*") if path.is_file()
        )
        return everything(self.service), files

    @property
    def data(self) -> Path:
        return self.service.kernel.settings.data / "files"

    def some_page(self, pick: int) -> int:
        ids = [*sorted(self.model.pages), MISSING]
        return ids[pick % len(ids)]

    def some_block(self, pick: int, page_id: int) -> int:
        """A draft's id, mostly of the page; else of another page, or a missing one."""
        own = sorted(self.model.pages[page_id].drafts) if page_id in self.model.pages else []
        others = sorted(number for page in self.model.pages.values() for number in page.drafts)
        choices = [*own * 6, *others, MISSING]
        return choices[pick % len(choices)]

    def edit_error(self, page_id: int, block_id: int, caller: int) -> str | None:
        page = self.model.page(page_id)
        if page is None:
            return "LANDING_NOT_EXIST"
        if block_id not in page.drafts:
            return "BLOCK_NOT_FOUND"
        return None if caller == ADMIN else "ACCESS_DENIED"

    @rule(pick=picks, nth=picks, caller=callers, text=words, known=st.booleans())
    def update_nodes(self, pick: int, nth: int, caller: int, text: str, known: bool) -> None:
        page_id = self.some_page(pick)
        block_id = self.some_block(nth, page_id)
        error = self.edit_error(page_id, block_id, caller)
        data = {".title" if known else ".unknown": text.replace("<", "").replace("&", "")}
        error = error or (None if known else "NODES_NOT_FOUND")
        self.call(
            "landing.block.updatenodes", caller, error, lid=page_id, block=block_id, data=data
        )
        if error is None:
            self.model.pages[page_id].drafts[block_id].title = data[".title"]

    @rule(pick=picks, nth=picks, caller=callers, mood=words)
    def update_attributes(self, pick: int, nth: int, caller: int, mood: str) -> None:
        page_id = self.some_page(pick)
        block_id = self.some_block(nth, page_id)
        error = self.edit_error(page_id, block_id, caller)
        data = {".go": {"data-mood": mood, "onclick": "x()"}, ".unknown": {"title": "x"}}
        self.call(
            "landing.block.updateattrs", caller, error, lid=page_id, block=block_id, data=data
        )
        if error is None:
            self.model.pages[page_id].drafts[block_id].mood = mood

    @rule(pick=picks, nth=picks, caller=callers, index=st.integers(0, 3))
    def remove_card(self, pick: int, nth: int, caller: int, index: int) -> None:
        page_id = self.some_page(pick)
        block_id = self.some_block(nth, page_id)
        error = self.edit_error(page_id, block_id, caller)
        cards = () if error else self.model.pages[page_id].drafts[block_id].cards
        error = error or (None if index < len(cards) else "CARD_NOT_FOUND")
        sent = {"lid": page_id, "block": block_id, "selector": f".card@{index}"}
        self.call("landing.block.removecard", caller, error, **sent)
        if error is None:
            left = (*cards[:index], *cards[index + 1 :])
            self.model.pages[page_id].drafts[block_id].cards = left

    @rule(pick=picks, caller=callers, usable=st.booleans())
    def upload(self, pick: int, caller: int, usable: bool) -> None:
        page_id = self.some_page(pick)
        block_id = self.some_block(0, page_id)
        page = next((p for p in self.model.pages.values() if block_id in p.drafts), None)
        error = "BLOCK_NOT_FOUND" if page is None or page.trashed or caller != ADMIN else None
        error = error or (None if usable else "FILE_ERROR")
        sent = ["a.png", picture() if usable else "bm90aGluZw=="]
        answer = self.call("landing.block.uploadfile", caller, error, block=block_id, picture=sent)
        if error is None:
            assert page is not None
            self.files[answer.result["src"]] = base64.b64decode(picture())

    @precondition(lambda self: len(self.model.pages) < MOST_PAGES)
    @rule(of=sites, pick=picks, folder=folders, caller=callers, beside=st.booleans())
    def add_by_template(self, of: int, pick: int, folder: int, caller: int, beside: bool) -> None:
        fields: dict[str, Any] = {"TITLE": "New"}
        error, place, shown = None, None, False
        if beside:
            element = fields["ID"] = self.some_page(pick)
            page = self.model.page(element)
            if page is None or page.site != of:
                error = "LANDING_ERROR"
            else:
                place, shown = page.folder, page.active
        if error is None and place is None and folder:
            fields["FOLDER_ID"] = folder
            place = folder
            if (folder, of) not in {(FOLDER, HERE), (FAR, THERE)}:
                error = "FOLDER_NOT_FOUND"
        error = error or (None if caller == ADMIN else "ACCESS_DENIED")
        error = "SITE_ERROR" if of not in {HERE, THERE} else error
        answer = self.call(
            "landing.landing.addByTemplate",
            caller,
            error,
            siteId=of,
            code="promo",
            fields=fields,
        )
        if error is None:
            page_id = answer.result
            assert page_id not in self.model.pages
            listed = self.drafts_of(page_id)
            page = Page(of, place, {each["id"]: Block() for each in listed})
            page.title = page.seo_title = "New"
            assert len(page.drafts) == 2
            self.model.pages[page_id] = page
            if shown:
                page.publish()

    @rule(pick=picks, caller=callers, title=words)
    def retitle(self, pick: int, caller: int, title: str) -> None:
        page_id = self.some_page(pick)
        known = page_id in self.model.pages and caller == ADMIN
        error = None if known else "ACCESS_DENIED"
        self.call("landing.landing.update", caller, error, lid=page_id, fields={"TITLE": title})
        if error is None:
            self.model.pages[page_id].title = title

    @rule(pick=picks, caller=callers, code=st.sampled_from(["p10", "new", "a/b", "", "a_1_2"]))
    def recode(self, pick: int, caller: int, code: str) -> None:
        page_id = self.some_page(pick)
        wrong = {"a/b": "SLASH_IS_NOT_ALLOWED", "": "CANT_BE_EMPTY", "a_1_2": "WRONG_CODE_FORMAT"}
        error = wrong.get(code)
        if page_id not in self.model.pages or caller != ADMIN:
            error = "ACCESS_DENIED"
        self.call("landing.landing.update", caller, error, lid=page_id, fields={"CODE": code})

    @rule(pick=picks, to=sites, folder=folders, caller=callers)
    def move(self, pick: int, to: int, folder: int, caller: int) -> None:
        page_id = self.some_page(pick)
        page = self.model.page(page_id)
        sent = {"lid": page_id, "toSiteId": to, "toFolderId": folder}
        error = None
        if page is None:
            error = "LANDING_NOT_EXIST"
        elif caller != ADMIN:
            error = "DELETE_ACCESS_DENIED"
        elif to == MISSING:
            error = "ACCESS_DENIED"
        elif folder:
            known = (folder, page.site) in {(FOLDER, HERE), (FAR, THERE)}
            error = None if known and to in {0, page.site} else "FOLDER_NOT_FOUND"
        self.call("landing.landing.move", caller, error, **sent)
        if error is None:
            assert page is not None
            self.model.leave_site(page_id, to or page.site)
            page.folder = folder or None

    @rule(pick=picks, caller=callers, mark=st.booleans(), through_update=st.booleans())
    def trash(self, pick: int, caller: int, mark: bool, through_update: bool) -> None:
        page_id = self.some_page(pick)
        page = self.model.pages.get(page_id)
        changes = page is not None and page.trashed is not mark
        if page is None or caller != ADMIN:
            error = "ACCESS_DENIED"
        elif mark and changes and self.model.must_stay(page_id):
            error = "CANT_DELETE_MAIN"
        elif not changes and through_update:
            return  # `DELETED` makes the page inactive in any case, so it is a step of its own
        else:
            error = None
        if through_update:
            fields = {"DELETED": "Y" if mark else "N"}
            self.call("landing.landing.update", caller, error, lid=page_id, fields=fields)
        else:
            answer = self.call("landing.landing.markDelete", caller, error, lid=page_id, mark=mark)
            assert error is not None or answer.result == page_id
        if error is None and changes:
            assert page is not None
            page.trashed, page.active = mark, False

    @precondition(lambda self: len(self.model.pages) > 2)
    @rule(pick=picks, caller=callers)
    def delete(self, pick: int, caller: int) -> None:
        page_id = self.some_page(pick)
        page = self.model.pages.get(page_id)
        error = None if page and caller == ADMIN else "ACCESS_DENIED"
        error = "LANDING_NOT_EXIST" if page is None else error
        self.call("landing.landing.delete", caller, error, lid=page_id)
        if error is None:
            assert page is not None
            del self.model.pages[page_id]
            if self.model.main[page.site] == page_id:
                self.model.main[page.site] = None
            self.files.clear()  # some of the files were deleted with the page

    @rule(pick=picks, shown=st.sampled_from([True, True, False]))
    def publish(self, pick: int, shown: bool) -> None:
        page_id = self.some_page(pick)
        page = self.model.page(page_id)
        if page is None or not (shown or page.active):
            return
        change: Callable[[Connection, int, Any], None] = publish if shown else unpublish
        kernel = self.service.kernel
        kernel.store.run(lambda unit: change(unit.connection, page_id, kernel.now()), writes=True)
        if shown:
            page.publish()
        page.active = shown

    # -------------------------------------------------------------- what must hold

    def drafts_of(self, page_id: int) -> list[dict[str, Any]]:
        params = {"edit_mode": True, "get_content": True}
        listed = self.service.result("landing.block.getlist", {"lid": page_id, "params": params})
        assert isinstance(listed, list)
        return listed

    @invariant()
    def drafts_are_what_was_edited(self) -> None:
        for page_id, page in self.model.pages.items():
            if not page.trashed:
                held = {each["id"]: _seen(each["content"])[0] for each in self.drafts_of(page_id)}
                assert held == {number: block.seen() for number, block in page.drafts.items()}

    @invariant()
    def visitors_see_what_was_published_last(self) -> None:
        urls: dict[str, int] = {}
        for page_id, page in self.model.pages.items():
            answer = self.service.call("landing.landing.getpublicurl", lid=page_id)
            if page.trashed:
                assert answer.error == "LANDING_NOT_EXIST"
                continue
            path = answer.result.removeprefix(self.service.kernel.settings.base)
            assert urls.setdefault(path, page_id) == page_id
            visit = self.service.get(path)
            assert visit.status_code == (200 if page.active else 404), path
            if page.active:
                assert _seen(visit.text) == page.public
                title = parse_fragment(visit.text).select("title")[0].text
                # A document must have a title: a page without one shows its code.
                # HTML drops blanks around it.
                assert title == (page.shown_title.strip() or _code(self.service, page_id))

    @invariant()
    def files_are_served(self) -> None:
        for src, content in self.files.items():
            assert self.service.get(src).content == content


def _code(service: Service, page_id: int) -> str:
    with service.kernel.store.session() as session:
        return str(session.execute(select(PAGE.code).where(PAGE.id == page_id)).scalar_one())


def _seen(html: str) -> list[Any]:
    """The content of the blocks in some HTML, in the model's form."""

    def texts(element: Element, selector: str) -> tuple[str, ...]:
        return tuple(found.text for found in element.select(selector))

    return [
        (texts(block, ".title")[0], block.select(".go")[0].attr("data-mood"), texts(block, ".card"))
        for block in parse_fragment(html).select(".landing-block")
    ]


def _run(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        Pages,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
        _min_steps=steps,  # without this flag an example may end after a few steps
    )


@pytest.mark.rule("state: draft edit", "state: markDelete true", "state: markDelete false")
def test_300_random_steps_keep_to_the_model() -> None:
    _run(6, 50)


@pytest.mark.soak
def test_10000_random_steps_keep_to_the_model() -> None:
    _run(100, 100)

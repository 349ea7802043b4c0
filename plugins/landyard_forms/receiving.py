"""Receiving: a form that was sent is read, checked, doubted and kept; and what is said to that."""

import hashlib
import threading
from collections.abc import Mapping, Sequence
from functools import partial

import structlog
from msgspec import Struct, structs

from landyard import Host
from landyard_forms.answers import Sent, read_sent
from landyard_forms.attachments import NewFile, kinds_of, look_into
from landyard_forms.fields import CODE, Field, Form, read_form
from landyard_forms.guard import Guard
from landyard_forms.refusals import Refusals
from landyard_forms.settings import FormSettings
from landyard_forms.submissions import NewSubmission, TooMuch, keep, repeated
from landyard_forms.words import Words, in_words_of, words_of
from landyard_forms.writing import FRESH, PLACE, State, message_id, show_form
from landyard_landing import (
    BlockType,
    Cache,
    PublishedBlock,
    public_version,
    published_block,
    published_page,
    wrap_public,
)

log = structlog.get_logger()

_MEMORY = 2_000_000  # bytes of pages with a form that nobody has sent, and of thanks
_PATIENCE = 2.0  # seconds for which a sending with files waits for another


class Incoming(Struct, frozen=True):
    """What comes from a visitor: the body with its media type, the cookie, and the address."""

    body: bytes
    cookie: str
    address: str
    kind: str = ""


class Outcome(Struct, frozen=True):
    """What a visitor gets: a path to go on to, or a page."""

    status: int
    next: str = ""
    page: str = ""


class Receiving:
    """The forms of a service."""

    def __init__(self, host: Host) -> None:
        """Read nothing yet."""
        self._host = host
        self.guard = Guard(host)
        self._refusals = Refusals()
        self._looking = threading.Lock()
        self._pages: Cache[tuple[int, bool], Outcome] = Cache(_MEMORY)

    def find(self, form_id: int) -> tuple[PublishedBlock, Form] | None:
        """Find a form that visitors see; None for any other block."""
        block = self._host.store.run(
            lambda unit: published_block(unit.connection, form_id), writes=False
        )
        if block is None or block.code != CODE:
            return None
        form = read_form(in_words_of(block.language, block.content))  # as visitors see it
        return None if form is None else (block, form)

    def receive(self, form_id: int, incoming: Incoming) -> Outcome | None:
        """Take what a visitor has sent; None where there is no such form."""
        now, most = self._host.now().timestamp(), self._host.section(FormSettings).refused
        if told := self._refusals.page_for(incoming.address, now, most):
            return Outcome(429, page=told)
        found = self.find(form_id)
        outcome = self._received(*found, incoming) if found else None
        if outcome is None or not outcome.next:
            language = found[0].language if found else ""
            if self._refusals.note(incoming.address, now, most, language):
                log.warning("sender_stopped", form=form_id)
        return outcome

    def _received(self, block: PublishedBlock, form: Form, incoming: Incoming) -> Outcome:
        words = words_of(block.language)
        sent = read_sent(form, incoming.body, incoming.kind, words)
        answers = sent.answers(form)
        wrong = sent.wrong or self._too_large(sent, words)
        if not wrong and not answers:
            wrong = {"": words.nothing}
        if wrong:
            return self._refuse(block, sent, wrong)
        contents = [hashlib.sha256(each.content).digest() for each in sent.files.values()]
        values = [(each.name, each.value) for each in answers]
        digest = self.guard.pseudonym(repr((values, contents)))
        sender = self.guard.pseudonym(incoming.address)
        prose = sent.prose(form)
        likeness = self.guard.pseudonym(prose) if prose else ""
        new = NewSubmission(answers, form.agreed[:2000], sender, digest, likeness)
        if self._is_doubtful(block.id, sent, new, incoming.cookie):
            return self._refuse(block, sent, {"": words.once_more})
        looked = self._looked(form, sent)
        if looked is None:
            return self._refuse(block, sent, {"": words.once_more}, 503)
        files, refused = looked
        if refused:
            return self._refuse(block, sent, {each.name: _kinds(each, words) for each in refused})
        try:
            keep(self._host, block, _with_files(new, files))
        except TooMuch as error:
            log.warning("submission_refused", form=block.id, full=error.full)
            status, told = (503, words.full) if error.full else (429, words.too_often)
            return self._refuse(block, sent, {"": told}, status)
        return Outcome(
            303, next=form.next or f"{PLACE}/sent?form={block.id}#{message_id(block.id)}"
        )

    def show(self, form_id: int) -> Outcome | None:
        """Return the page that the form is on; None where there is no such form."""
        return self._kept(form_id, State())

    def thanks(self, form_id: int) -> Outcome | None:
        """Return the form's page with thanks in its place; None where there is no such form."""
        return self._kept(form_id, State(thanks=True))

    def _kept(self, form_id: int, state: State) -> Outcome | None:
        """Return a page that is the same for every visitor, made once until a public one changes.

        So whoever asks for it again and again costs no more than a reader of any page.
        """
        with self._host.store.unit(writes=False) as unit:
            version = public_version(unit.connection)
        known = self._pages.find((form_id, state.thanks), version)
        if known is None and (found := self.find(form_id)):
            known = Outcome(200, page=self._page(found[0], state))
            self._pages.keep((form_id, state.thanks), version, known, len(known.page.encode()))
        return known

    def _looked(self, form: Form, sent: Sent) -> tuple[Sequence[NewFile], Sequence[Field]] | None:
        """Look into the files, one sending at a time; None where others take too long.

        A picture may take seconds, and visitors who read pages want the threads as well.
        """
        if not sent.files:
            return (), ()
        if not self._looking.acquire(timeout=_PATIENCE):
            return None
        try:
            return look_into(self._host, form, sent.files)
        finally:
            self._looking.release()

    def _too_large(self, sent: Sent, words: Words) -> dict[str, str]:
        most = self._host.section(FormSettings).file_megabytes
        if sum(len(each.content) for each in sent.files.values()) <= most * 1_000_000:
            return {}
        return dict.fromkeys(sent.files, words.large_file.replace("{most}", str(most)))

    def _is_doubtful(self, form_id: int, sent: Sent, new: NewSubmission, cookie: str) -> bool:
        """Tell whether a visitor is to be asked; whoever was asked, and has answered, is not."""
        now = self._host.now()
        if self.guard.is_answered(form_id, sent.again, now):
            return False
        if self.guard.is_doubtful(sent, cookie, now):
            return True
        return bool(new.likeness) and repeated(self._host, form_id, new)

    def _refuse(
        self, block: PublishedBlock, sent: Sent, wrong: Mapping[str, str], status: int = 422
    ) -> Outcome:
        again = self.guard.sign(f"again:{block.id}", self._host.now())
        # A browser fills in no files: they have to be chosen once more.
        wrong = dict.fromkeys(sent.files, words_of(block.language).file_again) | dict(wrong)
        state = State(sent.values, wrong, sent.consent, again)
        return Outcome(status, page=self._page(block, state))

    def _page(self, block: PublishedBlock, state: State) -> str:
        """Render the page that the form is on, as this visitor alone sees it."""
        brought = dict(self._host.records(BlockType))
        brought[CODE] = structs.replace(brought[CODE], show=partial(_shown, block.id, state))
        page = self._host.store.run(
            lambda unit: published_page(
                self._host,
                unit.connection,
                block.page_id,
                brought,
                wrap=partial(_wrap, block.id, state),
            ),
            writes=False,
        )
        return page.html


def _with_files(new: NewSubmission, files: Sequence[NewFile]) -> NewSubmission:
    """Add files to what is to be kept; their answers get the names that are safe."""
    names = {each.field: each.name for each in files}
    named = [structs.replace(it, value=names.get(it.name, it.value)) for it in new.answers]
    return structs.replace(new, answers=named, files=files)


def _kinds(field: Field, words: Words) -> str:
    return words.wrong_file.replace("{kinds}", ", ".join(kinds_of(field)))


def _wrap(  # noqa: PLR0917 - as blocks are wrapped
    of_form: int, state: State, block_id: int, code: str, anchor: str | None, content: str
) -> str:
    """Wrap a block; the one that says thanks leaves its usual id to the message in it."""
    wrapped = wrap_public(block_id, code, anchor, content)
    if block_id != of_form or not state.thanks or anchor:
        return wrapped
    return wrapped.replace(f' id="{message_id(block_id)}"', "", 1)


def _shown(of_form: int, state: State, block_id: int, content: str, language: str) -> str:
    """Show the form that was sent in its state, and others on the page as they are."""
    return show_form(block_id, content, language, state if block_id == of_form else FRESH)

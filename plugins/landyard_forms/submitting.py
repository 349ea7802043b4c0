"""Handles a sent form: validates, checks for spam, stores it, and answers with a page."""

import hashlib
import threading
from collections.abc import Mapping, Sequence
from functools import partial

import structlog
from msgspec import Struct, structs

from landyard import Host
from landyard_content import blocks
from landyard_forms.answers import Sent, read_sent
from landyard_forms.attachments import NewFile, kinds_of, look_into
from landyard_forms.fields import CODE, Field, Form, read_form
from landyard_forms.form_html import FRESH, PLACE, State, message_id, show_form
from landyard_forms.refusals import Refusals
from landyard_forms.settings import FormSettings
from landyard_forms.spam_guard import Guard
from landyard_forms.submissions import NewSubmission, TooMuch, keep, repeated
from landyard_forms.words import Words, in_words_of, words_of
from landyard_html.wrapping import wrap_public
from landyard_public.cache import Cache
from landyard_public.delivery import public_version
from landyard_public.published_blocks import PublishedBlock, published_block
from landyard_public.rendering import published_page

log = structlog.get_logger()

_MEMORY = 2_000_000  # bytes of cached pages: with an empty form, or with thanks
_PATIENCE = 2.0  # seconds for which a submission with files waits for another


class Incoming(Struct, frozen=True):
    """A visitor's request: the body with its media type, the cookie, and the address."""

    body: bytes
    cookie: str
    address: str
    kind: str = ""


class Outcome(Struct, frozen=True):
    """The reply to a visitor: a path to redirect to, or a page."""

    status: int
    next: str = ""
    page: str = ""


class FormHandler:
    """Handles the sent forms of a service."""

    def __init__(self, host: Host) -> None:
        """Read no key and no pages yet."""
        self._host = host
        self.guard = Guard(host)
        self._refusals = Refusals()
        self._looking = threading.Lock()
        self._pages: Cache[tuple[int, bool], Outcome] = Cache(_MEMORY)

    def find(self, form_id: int) -> tuple[PublishedBlock, Form] | None:
        """Return a published block and its form; None if it is no form or not published."""
        block = self._host.store.run(
            lambda unit: published_block(unit.connection, form_id), writes=False
        )
        if block is None or block.code != CODE:
            return None
        form = read_form(in_words_of(block.language, block.content))  # as visitors see it
        return None if form is None else (block, form)

    def receive(self, form_id: int, incoming: Incoming) -> Outcome | None:
        """Handle a sent form; None if there is no such form."""
        now, most = self._host.now().timestamp(), self._host.section(FormSettings).refused
        if refusal := self._refusals.page_for(incoming.address, now, most):
            return Outcome(429, page=refusal)
        found_form = self.find(form_id)
        outcome = self._received(*found_form, incoming) if found_form else None
        if outcome is None or not outcome.next:
            language = found_form[0].language if found_form else ""
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
        checked = self._checked_files(form, sent)
        if checked is None:
            return self._refuse(block, sent, {"": words.once_more}, 503)
        files, refused = checked
        if refused:
            return self._refuse(block, sent, {each.name: _kinds(each, words) for each in refused})
        try:
            keep(self._host, block, _with_files(new, files))
        except TooMuch as error:
            log.warning("submission_refused", form=block.id, full=error.full)
            status, message = (503, words.full) if error.full else (429, words.too_often)
            return self._refuse(block, sent, {"": message}, status)
        return Outcome(
            303, next=form.next or f"{PLACE}/sent?form={block.id}#{message_id(block.id)}"
        )

    def show(self, form_id: int) -> Outcome | None:
        """Return the page with the form; None if there is no such form."""
        return self._cached(form_id, State())

    def thanks(self, form_id: int) -> Outcome | None:
        """Return the form's page with thanks in its place; None if there is no such form."""
        return self._cached(form_id, State(thanks=True))

    def _cached(self, form_id: int, state: State) -> Outcome | None:
        """Return a page that is the same for all visitors, cached until a public page changes.

        Repeated requests therefore cost no more than those of any page.
        """
        with self._host.store.unit(writes=False) as unit:
            version = public_version(unit.connection)
        cached = self._pages.find((form_id, state.thanks), version)
        if cached is None and (found := self.find(form_id)):
            cached = Outcome(200, page=self._page(found[0], state))
            self._pages.keep((form_id, state.thanks), version, cached, len(cached.page.encode()))
        return cached

    def _checked_files(
        self, form: Form, sent: Sent
    ) -> tuple[Sequence[NewFile], Sequence[Field]] | None:
        """Check the files, one submission at a time; None if others take too long.

        A picture may take seconds, and readers of pages need threads, too.
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
        """Tell whether to ask the visitor to send again; not if the visitor has already done so."""
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
        # Browsers do not fill in files, so they have to be chosen again.
        wrong = dict.fromkeys(sent.files, words_of(block.language).file_again) | dict(wrong)
        state = State(sent.values, wrong, sent.consent, again)
        return Outcome(status, page=self._page(block, state))

    def _page(self, block: PublishedBlock, state: State) -> str:
        """Return the page with the form in this visitor's state."""
        block_types = dict(self._host.records(blocks.BlockType))
        block_types[CODE] = structs.replace(
            block_types[CODE], show=partial(_form_html, block.id, state)
        )
        page = self._host.store.run(
            lambda unit: published_page(
                self._host,
                unit.connection,
                block.page_id,
                block_types,
                wrap=partial(_wrap, block.id, state),
            ),
            writes=False,
        )
        return page.html


def _with_files(new: NewSubmission, files: Sequence[NewFile]) -> NewSubmission:
    """Return the submission with its files; answers get the files' safe names."""
    names = {each.field: each.name for each in files}
    answers = [structs.replace(it, value=names.get(it.name, it.value)) for it in new.answers]
    return structs.replace(new, answers=answers, files=files)


def _kinds(field: Field, words: Words) -> str:
    return words.wrong_file.replace("{kinds}", ", ".join(kinds_of(field)))


def _wrap(  # noqa: PLR0917 - the signature of wrappers
    of_form: int, state: State, block_id: int, code: str, anchor: str | None, content: str
) -> str:
    """Wrap a block; in the form's block with thanks, the message gets the block's usual id."""
    wrapped = wrap_public(block_id, code, anchor, content)
    if block_id != of_form or not state.thanks or anchor:
        return wrapped
    return wrapped.replace(f' id="{message_id(block_id)}"', "", 1)


def _form_html(of_form: int, state: State, block_id: int, content: str, language: str) -> str:
    """Return the sent form in its state, and other forms of the page unchanged."""
    return show_form(block_id, content, language, state if block_id == of_form else FRESH)

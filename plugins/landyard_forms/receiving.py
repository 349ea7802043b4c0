"""Receiving: a form that was sent is read, checked, doubted and kept; and what is said to that."""

from collections.abc import Mapping
from functools import partial

import structlog
from msgspec import Struct, structs

from landyard import Kernel
from landyard_forms.answers import Sent, read_sent
from landyard_forms.fields import CODE, Form, read_form
from landyard_forms.guard import Guard
from landyard_forms.submissions import NewSubmission, TooMuch, keep, repeated
from landyard_forms.writing import FRESH, PLACE, State, show_form
from landyard_landing import BlockType, PublishedBlock, published_block, published_page

log = structlog.get_logger()

_ONCE_MORE = "Please look at it once more, and send it: this form is also found by programs."
_FULL = "This form takes nothing more at the moment. Please try again tomorrow, or another way."
_TOO_OFTEN = "That was sent too often in this hour. Please try again later."


class Incoming(Struct, frozen=True):
    """What comes from a visitor: the body, the cookie, and the address that it comes from."""

    body: bytes
    cookie: str
    address: str


class Outcome(Struct, frozen=True):
    """What a visitor gets: a path to go on to, or a page."""

    status: int
    next: str = ""
    page: str = ""


class Receiving:
    """The forms of a service."""

    def __init__(self, kernel: Kernel) -> None:
        """Read nothing yet."""
        self._kernel = kernel
        self.guard = Guard(kernel)

    def find(self, form_id: int) -> tuple[PublishedBlock, Form] | None:
        """Find a form that visitors see; None for any other block."""
        block = self._kernel.store.run(
            lambda unit: published_block(unit.connection, form_id), writes=False
        )
        if block is None or block.code != CODE:
            return None
        form = read_form(block.content)
        return None if form is None else (block, form)

    def receive(self, form_id: int, incoming: Incoming) -> Outcome | None:
        """Take what a visitor has sent; None where there is no such form."""
        found = self.find(form_id)
        if found is None:
            return None
        block, form = found
        sent = read_sent(form, incoming.body)
        if sent.wrong:
            return self._refuse(block, sent, sent.wrong)
        answers = sent.answers(form)
        if not answers:
            return self._refuse(block, sent, {"": "Please fill something in."})
        digest = self.guard.pseudonym(repr([(each.name, each.value) for each in answers]))
        sender = self.guard.pseudonym(incoming.address)
        prose = sent.prose(form)
        likeness = self.guard.pseudonym(prose) if prose else ""
        new = NewSubmission(answers, form.agreed[:2000], sender, digest, likeness)
        if self._is_doubtful(block.id, sent, new, incoming.cookie):
            return self._refuse(block, sent, {"": _ONCE_MORE})
        try:
            keep(self._kernel, block, new)
        except TooMuch as error:
            log.warning("submission_refused", form=form_id, full=error.full)
            status, told = (503, _FULL) if error.full else (429, _TOO_OFTEN)
            return self._refuse(block, sent, {"": told}, status)
        return Outcome(303, next=form.next or f"{PLACE}/sent?form={form_id}#b{form_id}")

    def show(self, form_id: int) -> Outcome | None:
        """Return the page that the form is on; None where there is no such form."""
        found = self.find(form_id)
        return found and Outcome(200, page=self._page(found[0], State()))

    def thanks(self, form_id: int) -> Outcome | None:
        """Return the form's page with thanks in its place; None where there is no such form."""
        found = self.find(form_id)
        return found and Outcome(200, page=self._page(found[0], State(thanks=True)))

    def _is_doubtful(self, form_id: int, sent: Sent, new: NewSubmission, cookie: str) -> bool:
        """Tell whether a visitor is to be asked; whoever was asked, and has answered, is not."""
        now = self._kernel.now()
        if self.guard.is_answered(form_id, sent.again, now):
            return False
        if self.guard.is_doubtful(sent, cookie, now):
            return True
        return bool(new.likeness) and repeated(self._kernel, form_id, new)

    def _refuse(
        self, block: PublishedBlock, sent: Sent, wrong: Mapping[str, str], status: int = 422
    ) -> Outcome:
        again = self.guard.sign(f"again:{block.id}", self._kernel.now())
        state = State(sent.values, wrong, sent.consent, again)
        return Outcome(status, page=self._page(block, state))

    def _page(self, block: PublishedBlock, state: State) -> str:
        """Render the page that the form is on, as this visitor alone sees it."""
        brought = dict(self._kernel.records(BlockType))
        brought[CODE] = structs.replace(brought[CODE], show=partial(_shown, block.id, state))
        base = self._kernel.settings.base
        return self._kernel.store.run(
            lambda unit: published_page(unit.connection, block.page_id, base, brought).html,
            writes=False,
        )


def _shown(of_form: int, state: State, block_id: int, content: str) -> str:
    """Show the form that was sent in its state, and others on the page as they are."""
    return show_form(block_id, content, state if block_id == of_form else FRESH)

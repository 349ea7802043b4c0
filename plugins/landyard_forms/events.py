"""The event of a submitted form, and the task of mailing a submission."""

from landyard import Event


class FormSubmitted(Event, frozen=True):
    """A visitor has sent a form. The event has ids only; methods check rights for the answers."""

    topic = "form.submitted"

    form_id: int
    page_id: int
    site_id: int
    submission_id: int

    @property
    def subject(self) -> str:
        return f"form:{self.form_id}"


class MailSubmission(Event, frozen=True):
    """The task to mail a submission."""

    topic = "form.mail"

    submission_id: int

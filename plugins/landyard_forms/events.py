"""Events: what has happened to a form, and the task of mailing it."""

from landyard import Event


class FormSubmitted(Event, frozen=True):
    """A visitor has sent a form. These are ids alone: what was sent, methods answer by rights."""

    topic = "form.submitted"

    form_id: int
    page_id: int
    site_id: int
    submission_id: int

    @property
    def subject(self) -> str:
        return f"form:{self.form_id}"


class MailSubmission(Event, frozen=True):
    """What was sent is to be mailed."""

    topic = "form.mail"

    submission_id: int

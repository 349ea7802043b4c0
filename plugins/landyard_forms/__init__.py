"""Forms on pages: a form block, and the storage, listing and mailing of submissions.

The event `form.submitted` is `FormSubmitted`.
"""

from collections.abc import Iterable
from datetime import timedelta
from importlib.resources import files
from pathlib import Path

from msgspec import structs

from landyard import Host, Job, MethodGroup, Record, Subscriber, Tables, hookimpl
from landyard_content import blocks
from landyard_events import Delivery, after
from landyard_forms import pages
from landyard_forms.events import FormSubmitted, MailSubmission
from landyard_forms.form_html import show_form
from landyard_forms.methods import forms
from landyard_forms.settings import FormSettings
from landyard_forms.submissions import sweep
from landyard_undo.rules import never

__all__ = ["FormSubmitted", "pages"]

requires = ("content", "events", "landing", "pictures", "public")


@hookimpl
def register_methods() -> MethodGroup:
    return forms


@hookimpl
def register_settings() -> type[FormSettings]:
    return FormSettings


@hookimpl
def register_tables() -> Tables:
    return Tables(
        "forms",
        Path(__file__).parent / "migrations",
        never("forms_submission", "forms_file", "forms_key"),
    )


@hookimpl
def register_records() -> Iterable[Record]:
    found = blocks.read_block_types(files("landyard_forms") / "blocks")
    return [structs.replace(each, show=show_form, checked=True) for each in found]


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("forms.sweep", timedelta(hours=1), sweep)]


@hookimpl
def register_subscribers() -> Iterable[Subscriber]:
    return [after(MailSubmission, "forms.mail", _mail, transaction=False, seconds=60)]


@hookimpl
def register_routes(host: Host) -> Iterable[object]:
    from landyard_forms.web import routes  # imported late: the command line needs no web

    return routes(host)


def _mail(delivery: Delivery, task: MailSubmission) -> None:
    from landyard_forms.mailing import mail_submission  # imported late: few services send mail

    mail_submission(delivery, task)

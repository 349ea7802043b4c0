"""The mailing of submissions to a site's recipients, after their commit."""

import re
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

from sqlalchemy import select

from landyard_events import Delivery, GiveUp, NotDelivered
from landyard_forms.events import MailSubmission
from landyard_forms.headers import add_header, is_decoded, one_line
from landyard_forms.settings import FormSettings, recipients_of
from landyard_forms.tables import SUBMISSION
from landyard_forms.value_formats import is_mail
from landyard_landing import tables

_SECONDS = 20  # seconds for each step of a conversation
_ADDRESS = re.compile(r"[^\s@<>,;\"\x00-\x1f]{1,64}@[^\s@<>,;\"\x00-\x1f]{1,189}")
_FIND = select(
    *(SUBMISSION.id, SUBMISSION.answers, SUBMISSION.sent_at, tables.PAGE.site_id, tables.PAGE.title)
).join(tables.PAGE.id.table, tables.PAGE.id == SUBMISSION.page_id)


def mail_submission(delivery: Delivery, task: MailSubmission) -> None:
    """Mail a submission; does nothing if it was removed meanwhile."""
    settings = delivery.host.section(FormSettings)
    query = _FIND.where(SUBMISSION.id == task.submission_id)
    row = delivery.host.store.run(lambda unit: unit.connection.execute(query).first(), writes=False)
    to = recipients_of(settings, row.site_id) if row else []
    if not to:
        return
    if not all(map(_is_address, [settings.mail_from, *to])):
        raise GiveUp("forms.mail_from and forms.mail_to must be mail addresses")
    message = write_message(row, settings.mail_from, to, delivery.id)
    try:
        with _server(settings) as server:
            server.send_message(message)
    except (OSError, smtplib.SMTPException) as error:
        raise NotDelivered(f"mail to {settings.smtp_host}: {type(error).__name__}") from error


def write_message(row: Any, sender: str, to: list[str], message_id: str) -> EmailMessage:
    """Return the mail as plain text; its headers have no text of visitors except an address."""
    message = EmailMessage(policy=SMTP)
    add_header(message, "From", sender)
    add_header(message, "To", ", ".join(to))
    add_header(message, "Subject", f"Form on {one_line(row.title)[:100] or 'a page'}")
    add_header(message, "Message-ID", f"<{message_id}@{sender.rpartition('@')[2]}>")
    add_header(message, "Auto-Submitted", "auto-generated")
    values = [each["value"] for each in row.answers]
    # Servers may refuse an address that is not ASCII.
    if answer_to := next((each for each in values if each.isascii() and is_mail(each)), ""):
        add_header(message, "Reply-To", answer_to)
    parts = [f"{one_line(each['label'])}:\n{each['value']}\n" for each in row.answers]
    sent = f"Sent {row.sent_at:%Y-%m-%d %H:%M} UTC, number {row.id}.\n"
    message.set_content("\n".join([*parts, sent]))
    return message


def _is_address(text: str) -> bool:
    """Tell whether a setting is a mail address; private networks are allowed, too."""
    return bool(_ADDRESS.fullmatch(text)) and not is_decoded(text)


@contextmanager
def _server(settings: FormSettings) -> Iterator[smtplib.SMTP]:
    place = (settings.smtp_host, settings.smtp_port)
    secured = ssl.create_default_context()
    server = (
        smtplib.SMTP_SSL(*place, timeout=_SECONDS, context=secured)
        if settings.smtp_security == "tls"
        else smtplib.SMTP(*place, timeout=_SECONDS)
    )
    with server:
        if settings.smtp_security == "starttls":
            server.starttls(context=secured)
        if settings.smtp_user:
            server.login(settings.smtp_user, settings.secret)
        yield server

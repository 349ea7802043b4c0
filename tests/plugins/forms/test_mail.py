"""Submissions are mailed after their commit, to an SMTP server of the test."""

from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from typing import Any

import pytest
from plugins.forms.mailbox import Server
from plugins.forms.site import GOOD, NOON, PLUGINS, Visitor, kept, serving
from tables import for_each

from landyard_events import GiveUp, NotDelivered, deliver_due
from landyard_forms import FormSubmitted
from landyard_forms.mailing import write_message


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def mailing(server: Server, **more: Any) -> dict[str, Any]:
    return {
        "smtp_host": "127.0.0.1",
        "smtp_port": server.port,
        "smtp_security": "none",
        "mail_from": "site@example.org",
        "mail_to": "all@example.org",
    } | more


def test_a_submission_is_mailed_after_its_commit(server: Server) -> None:
    with serving(forms=mailing(server)) as service:
        Visitor(service).fill(GOOD | {"message": "Grüße\n.\nfrom the quay"})
        assert server.mails == []
        deliver_due(service.kernel)

        ((said, mail),) = server.mails
        assert "rcpt TO:<all@example.org>".lower() in " ".join(said).lower()
        assert mail["subject"] == "Form on Boats"
        assert mail["reply-to"] == "ann@example.org"
        body = mail.get_payload(decode=True)
        assert isinstance(body, bytes)
        assert "Grüße\n.\nfrom the quay" in body.decode().replace("\r\n", "\n")


def test_a_site_has_an_address_of_its_own(server: Server) -> None:
    to = "all@example.org, 1: shop@example.org,2:other@example.org"
    with serving(forms=mailing(server, mail_to=to)) as service:
        Visitor(service).fill(GOOD)
        deliver_due(service.kernel)
        assert server.mails[0][1]["to"] == "shop@example.org"
        assert service.result("landyard.form.recipients", lid=10) == ["shop@example.org"]


def test_no_text_of_a_visitor_becomes_a_header(server: Server) -> None:
    with serving(forms=mailing(server)) as service:
        Visitor(service).fill(
            GOOD | {"name": "Ann\r\nBcc: x@example.org", "message": "\r\n\r\nBcc: x@example.org"}
        )
        deliver_due(service.kernel)

        mail = server.mails[0][1]
        assert mail["bcc"] is None
        assert mail.get_content_type() == "text/plain"
        assert "x@example.org" not in " ".join(server.mails[0][0])


def test_a_title_with_line_breaks_becomes_one_line() -> None:
    class Row:
        id = 1
        title = "Boats\r\nBcc: x@example.org\x00"
        answers = ({"label": "A\nB: c", "value": "x@y.example\nBcc: z@y.example"},)
        sent_at = NOON

    message = write_message(Row(), "a@example.org", ["b@example.org"], "evt_1")

    assert message["Bcc"] is None
    assert message["Reply-To"] is None
    assert message["Subject"] == "Form on Boats Bcc: x@example.org"


_BCC = "=0d=0aBcc=3a_evil=40example.org?="


@for_each(
    "title",
    [
        f"=?utf-8?q?hi{_BCC}",
        "=?utf-8?b?YQ0KQmNjOiBldmlsQGV4YW1wbGUub3Jn?=",
        f"=?ISO-8859-1*en?Q?hi{_BCC}",
        f"é =?utf-8?q?hi{_BCC}",
        f"=\xad?utf-8?q?hi{_BCC}",
        f"{'a' * 49} =?utf-8?q?hi{_BCC}",
        f"{'a ' * 20}==?utf-8?q?hi{_BCC}",
        f"=?utf-8?q?=3D=3Futf-8=3Fq=3Fhi=3D0d=3D0aBcc=3A=3F=3D?= =?utf-8?q?{_BCC}",
    ],
)
def test_a_title_that_decodes_into_headers_stays_one_subject(title: str) -> None:
    class Row:
        id = 1
        answers = ({"label": title, "value": "Hello"},)
        sent_at = NOON

        def __init__(self, title: str) -> None:
            self.title = title

    def sent(title: str) -> bytes:
        return write_message(Row(title), "a@example.org", ["b@example.org"], "evt_1").as_bytes()

    mail, plain = message_from_bytes(sent(title)), message_from_bytes(sent("Boats"))
    parts = decode_header(mail["Subject"].replace("\r\n", ""))

    text = str(make_header(parts)).replace("= ?", "=?")
    assert text == f"Form on {title.replace(chr(0xAD), '')}"[:108]
    assert mail.keys() == plain.keys()


@for_each("value", [f"=?utf-8?q?a{_BCC}@x.example", "=?utf-8?q?a?=@x.example", "=?@x.example"])
def test_a_visitors_address_that_decodes_into_another_is_in_no_header(value: str) -> None:
    class Row:
        id = 1
        title = "Boats"
        answers = ({"label": "Mail", "value": value},)
        sent_at = NOON

    message = write_message(Row(), "a@example.org", ["b@example.org"], "evt_1")

    assert message["Reply-To"] is None
    assert b"Bcc" not in message.as_bytes().partition(b"\r\n\r\n")[0]


def test_mail_is_sent_again_to_a_server_that_was_busy(server: Server) -> None:
    with serving(forms=mailing(server)) as service:
        server.busy = True
        assert Visitor(service).fill(GOOD).status_code == 303
        with pytest.raises(NotDelivered):
            deliver_due(service.kernel)
        server.busy = False
        service.later(minutes=1)
        deliver_due(service.kernel)

        assert len(server.mails) == 1


def test_a_submission_removed_meanwhile_is_not_mailed(server: Server) -> None:
    with serving(forms=mailing(server)) as service:
        Visitor(service).fill(GOOD)
        service.result("landyard.form.remove", lid=10, ids=[kept(service)[0]["id"]])
        deliver_due(service.kernel)
        assert server.mails == []


def test_invalid_addresses_make_a_dead_letter(server: Server) -> None:
    with serving(forms=mailing(server, mail_from="Site <site>")) as service:
        Visitor(service).fill(GOOD)
        with pytest.raises(GiveUp):
            deliver_due(service.kernel)


def test_without_a_server_no_mail_waits() -> None:
    with serving() as service:
        Visitor(service).fill(GOOD)
        assert deliver_due(service.kernel) == 0
        assert service.result("landyard.form.recipients", lid=10) == []


def test_other_subscribers_get_only_the_ids() -> None:
    from plugins.forms.site import NOON, world

    from landyard import Plugin, Subscriber, hookimpl
    from landyard.testing import Service

    heard: list[FormSubmitted] = []

    class Listening:
        requires = ("forms",)

        @hookimpl
        def register_subscribers(self) -> list[Subscriber]:
            return [Subscriber(FormSubmitted, lambda _, event: heard.append(event))]

    plugins: Any = [*PLUGINS, Plugin("listening", Listening())]
    with Service(plugins, world=world(), now=NOON) as service:
        Visitor(service).fill(GOOD)
        (submission,) = kept(service)
        assert heard == [FormSubmitted(90, 10, 1, submission["id"])]

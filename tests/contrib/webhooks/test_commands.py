"""The command `landyard endpoint` manages the receivers of events."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from contrib.webhooks.receiver import DOC, Receiver, verified
from contrib.webhooks.services import PLUGINS
from kernel.canary import Canary
from kernel.commands import ConsoleOf, Run, done, failure, listing

from landyard.testing import Service
from landyard_events import deliver_due
from landyard_webhooks.commands import endpoint


class Words:
    """Runs the commands on a service of the test."""

    def __init__(self, service: Service, canary: Canary) -> None:
        self.service = service
        self._canary = canary

    def __call__(self, *words: str) -> Result:
        return CliRunner().invoke(endpoint, words, obj=ConsoleOf(self.service.kernel))

    def add(self, url: str) -> str:
        (made,) = listing(self("add", url, "--events", "shop.*", "--json"))
        secret: str = made["secret"]
        self._canary.shown |= set(re.split(r"[+/=]", secret))
        return secret


@pytest.fixture
def words(receiver: Receiver, canary: Canary) -> Iterator[Words]:
    with Service(PLUGINS, webhooks={"allow_hosts": [receiver.host]}) as service:
        yield Words(service, canary)


def test_a_secret_is_shown_once_and_signs_the_deliveries(
    words: Words,
    receiver: Receiver,
) -> None:
    secret, told, _ = done(words("add", receiver.url(), "--events", "shop.*")).split("\n")
    words.service.result("shop.pay", order=7)
    deliver_due(words.service.kernel)
    (sent,) = receiver.received

    assert "shown this once" in told
    assert verified(secret, sent.headers, sent.body)
    for listed in (words("list"), words("list", "--json")):
        assert "shop.*" in done(listed)
        assert "whsec" not in listed.output


def test_endpoints_are_listed(words: Words, receiver: Receiver) -> None:
    words.add(receiver.url())

    (row,) = listing(words("list", "--json"))

    assert row.pop("created_at")
    assert row == {"id": 1, "url": receiver.url(), "events": ["shop.*"], "active": True}


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://10.0.0.1/hooks", "host_not_public"),
        ("http://hooks.example:8080/", "port_not_allowed"),
        ("ftp://hooks.example/", "scheme_not_http"),
        ("https://ann:secret@hooks.example/", "user_in_address"),
    ],
)
def test_an_endpoint_needs_an_address_that_can_be_sent_to(
    words: Words, url: str, reason: str
) -> None:
    assert f"({reason})" in failure(words("add", url, "--events", "*"))
    assert listing(words("list", "--json")) == []


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("shop.refund", "there are: "), ("shopp.*", "shop.order.paid"), ("shop paid", "no pattern")],
)
def test_a_pattern_must_match_existing_events(words: Words, pattern: str, message: str) -> None:
    assert message in failure(words("add", "https://hooks.example/", "--events", pattern))


def test_a_test_shows_the_endpoints_answer(
    words: Words,
    receiver: Receiver,
) -> None:
    secret = words.add(receiver.url())

    assert "answered 200" in done(words("test", "1"))
    (sent,) = receiver.received
    assert verified(secret, sent.headers, sent.body)
    assert sent.message["type"] == "landyard.test"
    receiver.answers["/"] = 404
    assert "answered 404" in failure(words("test", "1"))
    receiver.close()
    assert "host_not_reached" in failure(words("test", "1"))


def test_after_a_rotation_both_secrets_sign(
    words: Words,
    receiver: Receiver,
) -> None:
    old = words.add(receiver.url())
    (made,) = listing(words("rotate", "1", "--json"))
    done(words("test", "1"))
    done(words("rotate", "1", "--overlap", "0"))
    done(words("test", "1"))

    first, second = receiver.received
    assert [verified(each, first.headers, first.body) for each in (old, made["secret"])] == [
        True
    ] * 2
    assert not verified(made["secret"], second.headers, second.body)


def test_an_endpoint_is_removed_and_another_goes_on(
    words: Words,
    receiver: Receiver,
) -> None:
    words.add(receiver.url("/one"))
    words.add(receiver.url("/two"))
    receiver.answers["/two"] = 410
    words.service.result("shop.pay", order=7)
    deliver_due(words.service.kernel, raise_failures=False)
    done(words("remove", "1"))

    (row,) = listing(words("list", "--json"))
    assert (row["id"], row["active"]) == (2, False)
    done(words("enable", "2"))
    assert listing(words("list", "--json"))[0]["active"]


@pytest.mark.parametrize("word", ["remove", "rotate", "enable", "test"])
def test_a_missing_endpoint_is_reported(words: Words, word: str) -> None:
    assert "there is no endpoint 7" in failure(words(word, "7"))


def test_a_world_file_has_no_endpoints(words: Words, receiver: Receiver) -> None:
    words.add(receiver.url())

    dumped: dict[str, Any] = msgspec.json.decode(b"".join(words.service.kernel.dump()))

    assert "whsec" not in str(dumped)


def test_the_commands_of_the_page_for_operators_run(landyard: Run) -> None:
    (script,) = re.findall(r"^```sh\n(.*?)^```$", DOC, re.DOTALL | re.MULTILINE)
    enable, add, test = (shlex.split(line)[1:] for line in script.splitlines())

    assert landyard(*add).exit_code == 2  # the plugin is off
    done(landyard(*enable))
    assert done(landyard(*add)).startswith("whsec_")
    assert landyard(*test[:-1], "2").exit_code == 1

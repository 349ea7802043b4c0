"""Names are resolved through a name server on this machine (U4, U5)."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from corpora import read_data
from dns import flags, message, rcode, rdatatype, rrset
from dns.name import from_text
from dns.resolver import NXDOMAIN, Resolver

from landyard_outgoing import Refused
from landyard_outgoing.resolving import ask, resolve

Answer = Callable[[message.Message], message.Message | bytes | None]

RECORDS = read_data(__file__, "RECORDS", dict[str, dict[str, list[str]]])


def answered(query: message.Message) -> message.Message:
    (question,) = query.question
    kind = rdatatype.to_text(question.rdtype)
    name, answer = question.name, message.make_response(query)
    if name.to_text() == "alias.example.":
        answer.answer.append(rrset.from_text(name, 60, "IN", "CNAME", "both.example."))
        name = answer.answer[0][0].target
    if name.to_text() not in RECORDS:
        answer.set_rcode(rcode.NXDOMAIN)
    if found := RECORDS.get(name.to_text(), {}).get(kind, []):
        answer.answer.append(rrset.from_text(name, 60, "IN", kind, *found))
    return answer


class Names:
    """A name server; `asked` holds the names and kinds of its queries."""

    def __init__(self) -> None:
        self.answer: Answer = answered
        self.asked: list[tuple[str, str]] = []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.resolver = Resolver(configure=False)
        self.resolver.nameservers = ["127.0.0.1"]
        self.resolver.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def _serve(self) -> None:
        while (received := self.socket.recvfrom(4096))[0]:
            query = message.from_wire(received[0])
            (question,) = query.question
            self.asked.append((question.name.to_text(), rdatatype.to_text(question.rdtype)))
            answer = self.answer(query)
            if isinstance(answer, message.Message):
                answer = answer.to_wire()
            if answer is not None:
                self.socket.sendto(answer, received[1])

    def close(self) -> None:
        self.socket.sendto(b"", self.socket.getsockname())
        self.thread.join()
        self.socket.close()

    def ask(self, name: str, seconds: float = 5) -> list[str]:
        """The addresses of each kind in order, because servers may send them in any order."""
        found = ask(self.resolver, name, seconds)
        assert [each.version for each in found] == sorted(each.version for each in found)
        return [str(each) for each in sorted(found, key=lambda each: (each.version, int(each)))]


@pytest.fixture
def names() -> Iterator[Names]:
    names = Names()
    yield names
    names.close()


@pytest.mark.rule("U5")
@pytest.mark.parametrize(
    ("name", "addresses"),
    read_data(__file__, "addresses of names", list[tuple[str, list[str]]]),
)
def test_U5_every_address_of_a_name_is_found(names: Names, name: str, addresses: list[str]) -> None:
    assert names.ask(name) == addresses


@pytest.mark.rule("U5")
def test_U5_a_name_is_looked_up_unchanged(names: Names) -> None:
    names.resolver.search = [from_text("example.")]

    with pytest.raises(NXDOMAIN):
        names.ask("four")

    assert names.asked == [("four.", "A")]


def _lost(query: message.Message) -> message.Message | None:
    return None if query.question[0].rdtype == rdatatype.AAAA else answered(query)


def _failed(query: message.Message) -> message.Message:
    if query.question[0].rdtype == rdatatype.A:
        return answered(query)
    answer = message.make_response(query)
    answer.set_rcode(rcode.SERVFAIL)
    return answer


def _unknown(query: message.Message) -> message.Message:
    answer = _failed(query)
    if not answer.answer:
        answer.set_rcode(rcode.NXDOMAIN)
    return answer


@pytest.mark.rule("U4")
@pytest.mark.parametrize("answer", [_lost, _failed, _unknown])
def test_U4_one_unanswered_kind_leaves_the_other(names: Names, answer: Answer) -> None:
    names.answer = answer

    assert names.ask("both.example", 0.8) == ["93.184.216.34", "93.184.216.35"]


def _forged(query: message.Message) -> message.Message:
    query.id ^= 1
    return answered(query)


def _endless(query: message.Message) -> message.Message:
    answer = message.make_response(query)
    answer.flags |= flags.TC  # and no server listens at its TCP port
    return answer


@pytest.mark.rule("U4")
@pytest.mark.parametrize(
    "answer", [lambda _: None, lambda _: b"\x00\x01garbage", _forged, _endless]
)
def test_U4_a_name_server_has_a_limited_time(names: Names, answer: Answer) -> None:
    names.answer = answer
    started = time.monotonic()

    assert names.ask("both.example", 0.4) == []
    assert time.monotonic() - started < 30


@pytest.mark.rule("U4")
def test_U4_both_kinds_share_the_time(names: Names) -> None:
    names.answer = lambda _: None
    started = time.monotonic()

    assert names.ask("both.example", 2) == []
    assert {kind for _, kind in names.asked} == {"A", "AAAA"}
    assert time.monotonic() - started < 3


@pytest.mark.rule("U5")
@pytest.mark.parametrize("name", ["localhost", "pictures.localhost"])
def test_U5_localhost_is_this_machine_and_is_not_looked_up(name: str) -> None:
    assert [str(address) for address in resolve(name, 0.001)] == ["127.0.0.1", "::1"]


@pytest.mark.rule("U5")
def test_U5_without_name_servers_no_name_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def unconfigured(self: Resolver, *_: object) -> None:
        self.read_resolv_conf("/dev/null")

    monkeypatch.setattr(Resolver, "__init__", unconfigured)

    with pytest.raises(Refused, match="host_not_found"):
        resolve("both.example", 0.1)


def test_a_worker_that_downloads_nothing_imports_no_resolver() -> None:
    code = "import sys, landyard_pictures; print('dns' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"

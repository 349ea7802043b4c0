"""Addresses and redirects from strangers lead only to public hosts (U4, U5)."""

import ipaddress
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from contract.pictures import PNG
from corpora import read_data
from hypothesis import given
from hypothesis import strategies as st
from plugins.outgoing import redirects
from plugins.outgoing.hostile import PUBLIC, Net, Web, redirect, reply, within

from landyard_outgoing import Refused, fetch
from landyard_outgoing.connecting import dial
from landyard_outgoing.destinations import IP, special_use
from landyard_outgoing.targets import read_redirect, read_target

START = "http://public.example/start"
LIMITS = within(5, 5, 1000)


@pytest.fixture(scope="module")
def server() -> Iterator[Web]:
    web = Web()
    yield web
    web.close()


@pytest.fixture
def net(server: Web) -> Net:
    server.answers, server.seen, server.heads = {}, [], []
    return Net(server, redirects.NAMES)


def _cases(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(url, name) for name, urls in table.items() for url in urls]


@pytest.mark.rule("U5")
@pytest.mark.parametrize(("url", "refused"), _cases(redirects.REFUSED))
def test_U5_forbidden_addresses_are_not_dialled(net: Net, url: str, refused: str) -> None:
    assert net.refused(url, LIMITS) == refused
    assert net.dials == []


_PIECES = st.sampled_from([*"0123456789abcdefx.:/@[]%?#\\ -_;", "127.0.0.1", "//", "::1", "1e100"])
_STRANGE = st.lists(_PIECES | st.characters(), max_size=12).map("".join)


@pytest.mark.rule("U5")
@given(st.sampled_from(["", "http:", "http://", "https://", "http://8.8.8.8"]), _STRANGE)
def test_U5_any_address_is_public_or_refused(start: str, strange: str) -> None:
    dialled = []

    def dead(address: IP, port: int, seconds: float) -> socket.socket:
        dialled.append((special_use(address), port))
        raise ConnectionRefusedError

    def own(name: str, seconds: float) -> list[IP]:
        return [ipaddress.ip_address("10.0.0.1")]

    with pytest.raises(Refused):
        fetch(f"{start}{strange}", LIMITS, resolve=own, dial=dead)

    assert dialled in ([], [(None, 80)], [(None, 443)])


@pytest.mark.rule("U5")
@given(st.sampled_from(["", "//", "http:", "http://", "https://", "/", "?"]), _STRANGE)
def test_U5_any_location_is_public_or_refused(start: str, strange: str) -> None:
    try:
        target = read_redirect(read_target(START), f"{start}{strange}")
    except Refused:
        return
    assert target.scheme in {"http", "https"}
    assert f"{target.host}{target.path}".isascii()
    assert " " not in f"{target.host}{target.path}"


@pytest.mark.rule("U5")
def test_U5_the_length_of_an_address_is_limited(net: Net) -> None:
    longest = "http://public.example/".ljust(8000, "a")

    assert net.refused(longest, LIMITS) is None
    assert net.refused(f"{longest}a", LIMITS) == "address_unreadable"


@pytest.mark.rule("U5")
@pytest.mark.parametrize("url", redirects.UNREADABLE)
def test_U5_a_text_that_is_no_address_is_refused(net: Net, url: str) -> None:
    assert net.refused(url, LIMITS) in {"address_unreadable", "scheme_not_http", "host_unreadable"}
    assert net.asked == []
    assert net.dials == []


@pytest.mark.rule("U5")
@pytest.mark.parametrize(("url", "refused"), _cases(redirects.REFUSED))
def test_U5_forbidden_redirects_are_not_followed(net: Net, url: str, refused: str) -> None:
    net.web.answers["/start"] = redirect(url)

    assert net.refused(START, LIMITS) == refused
    assert net.dials == [(PUBLIC, 80)]


@pytest.mark.rule("U5")
@pytest.mark.parametrize(
    ("value", "refused"),
    [(each, name) for name, found in redirects.LOCATIONS.items() for each in found],
)
def test_U5_unreadable_locations_are_not_followed(net: Net, value: bytes, refused: str) -> None:
    net.web.answers["/start"] = redirect("PLACE").replace(b"PLACE", value)

    assert net.refused(START, LIMITS) == refused
    assert set(net.dials) == {(PUBLIC, 80)}


@pytest.mark.rule("U5")
@pytest.mark.parametrize(
    "locations", [[], [f"{START}x", "http://other.example/"], ["/b.png", "/b.png", "/B.png"]]
)
def test_U5_a_redirect_with_two_locations_is_refused(net: Net, locations: list[str]) -> None:
    headers = "".join(f"Location: {each}\r\n" for each in locations)
    net.web.answers["/start"] = reply(b"", "302 Found").replace(
        b"\r\n", f"\r\n{headers}".encode(), 1
    )

    assert net.refused(START, LIMITS) == "redirect_without_one_address"
    assert net.dials == [(PUBLIC, 80)]


@pytest.mark.rule("U5")
def test_U5_a_repeated_equal_location_counts_once(net: Net) -> None:
    twice = b"\r\nLocation: /b.png\r\nLocation: /b.png\r\n"
    net.web.answers["/start"] = reply(b"", "302 Found").replace(b"\r\n", twice, 1)

    assert net.fetch(START, LIMITS) == PNG
    assert [path for path, _ in net.web.seen] == ["/start", "/b.png"]


@pytest.mark.rule("U5")
@pytest.mark.parametrize("location", redirects.FOLLOWED)
def test_U5_permitted_redirects_are_followed(net: Net, location: str) -> None:
    host, path, address = redirects.FOLLOWED[location]
    net.web.answers["/start"] = redirect(location)

    assert net.fetch(START, LIMITS) == PNG
    assert net.dials == [(PUBLIC, 80), (address, 80)]
    assert net.web.seen == [("/start", "public.example"), (path, host)]


@pytest.mark.rule("U5")
@pytest.mark.parametrize("name", redirects.CHAINS)
def test_U5_chains_of_redirects_are_followed_up_to_the_limit(net: Net, name: str) -> None:
    chain, (refused, requests) = redirects.CHAINS[name]
    net.web.answers = {place: redirect(location) for place, location in chain.items()}

    assert net.refused(START, LIMITS) == refused
    assert len(net.dials) == requests
    assert set(net.dials) <= {(PUBLIC, 80), ("151.101.1.1", 80)}


@pytest.mark.rule("U5")
def test_U5_a_name_is_looked_up_once_for_a_request(net: Net) -> None:
    net.fetch("http://rebinding.example/a.png", LIMITS)

    assert net.asked == ["rebinding.example"]
    assert net.dials == [(PUBLIC, 80)]


@pytest.mark.rule("U5")
@pytest.mark.parametrize("claim", [("127.0.0.1", 80), ("10.0.0.1", 80), (PUBLIC, 8080), ("", 0)])
def test_U5_a_connection_to_another_address_is_not_used(claim: tuple[str, int]) -> None:
    web = Web()
    net = Net(web, redirects.NAMES)
    net.claims[PUBLIC] = claim

    refused = net.refused(START, LIMITS)

    web.close()
    assert refused == "connected_elsewhere"
    assert web.received == 0


@pytest.mark.rule("U5")
def test_U5_only_checked_addresses_are_tried(net: Net) -> None:
    net.dead = {"151.101.1.1"}

    assert net.fetch("http://other.example/a.png", LIMITS) == PNG
    assert net.dials == [("151.101.1.1", 80), ("2606:4700::1111", 80)]


@pytest.mark.rule("U5")
def test_U5_no_header_of_one_request_is_sent_with_the_next(net: Net) -> None:
    first = reply(b"", "302 Found", Location="http://other.example/b", Set_Cookie="a=b")
    net.web.answers["/start?secret"] = first

    net.fetch(f"{START}?secret#part", LIMITS)

    names = [line.split(b":")[0].lower() for line in net.web.heads[1].split(b"\r\n")[1:-2]]
    assert b"secret" not in net.web.heads[1]
    assert sorted(names) == [b"accept", b"accept-encoding", b"connection", b"host", b"user-agent"]


@pytest.mark.rule("U5")
def test_U5_only_the_set_ports_are_dialled(net: Net) -> None:
    limits = within(5, 5, 1000, ports=[8080])

    assert net.refused("http://public.example:8080/", limits) is None
    assert net.refused("http://public.example/", limits) == "port_not_allowed"
    assert net.dials == [(PUBLIC, 8080)]


@pytest.mark.rule("U5")
@pytest.mark.parametrize("allowed", ["private.example", "private.example:22"])
def test_U5_an_allowed_host_may_be_reached_at_any_port(net: Net, allowed: str) -> None:
    limits = within(5, 5, 1000, allow_hosts=[allowed])

    assert net.refused("http://private.example:22/", limits) is None
    assert net.refused("http://10.0.0.1:22/", limits) == "port_not_allowed"
    assert net.dials == [("10.0.0.1", 22)]


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_an_address_is_dialled_unchanged(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        server = socket.create_server((address, 0), family=family)
    except OSError:
        pytest.skip("no IPv6 on this machine")
    port = server.getsockname()[1]

    with server, dial(ipaddress.ip_address(address), port, 1) as sock:
        assert sock.getpeername()[:2] == (address, port)


@pytest.fixture
def secure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    """A server with a certificate for two names, which the client trusts."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("public.example", "93.184.216.34").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    web = Web(context)
    yield web
    web.close()


@pytest.mark.rule("U5")
@pytest.mark.parametrize(
    ("location", "refused", "dials"),
    read_data(__file__, "U5 redirects from https", list[tuple[str, str | None, int]]),
)
def test_U5_redirects_from_https_go_only_to_https(
    secure: Web, location: str, refused: str | None, dials: int
) -> None:
    net = Net(secure, redirects.NAMES)
    secure.answers["/start"] = redirect(location)

    assert net.refused("https://public.example/start", LIMITS) == refused
    assert [port for _, port in net.dials] == [443] * dials

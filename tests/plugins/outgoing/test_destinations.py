"""Which addresses belong to hosts on the public internet (U5)."""

import ipaddress
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins.outgoing import addresses
from plugins.outgoing.hostile import Net, Web, within

from landyard_outgoing.destinations import SPECIAL, special_use

EXPECTED = {each: name for name, found in addresses.SPECIAL.items() for each in found}


@pytest.mark.rule("U5")
def test_U5_each_special_address_has_its_purpose() -> None:
    judged = {each: special_use(ipaddress.ip_address(each)) for each in EXPECTED}

    assert judged == EXPECTED


@pytest.mark.rule("U5")
def test_U5_the_neighbours_of_special_networks_are_public() -> None:
    judged = {each: special_use(ipaddress.ip_address(each)) for each in addresses.PUBLIC}

    assert judged == dict.fromkeys(addresses.PUBLIC)


def test_the_edges_of_every_network_are_tried() -> None:
    tried = {ipaddress.ip_address(each) for each in EXPECTED}
    edges = {edge for each in SPECIAL for edge in (each.network[0], each.network[-1])}

    assert edges - tried == set()


@pytest.mark.rule("U5")
@given(st.one_of(st.ip_addresses(), st.ip_addresses(v=6, network="2000::/3")))
def test_U5_no_address_is_public_only_in_our_table(address: ipaddress.IPv4Address) -> None:
    if special_use(address) is None:
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_reserved


@pytest.mark.rule("U5")
@pytest.mark.parametrize("written", ["literal", "name", "name beside a public one"])
def test_U5_no_special_address_is_dialled(written: str) -> None:
    web = Web()
    dialled, reasons = {}, set()
    for each in EXPECTED:
        found = ["93.184.216.34", each] if "beside" in written else [each]
        net = Net(web, {"pictures.example": [found]})
        literal = f"[{each}]" if ":" in each else each
        host = literal if written == "literal" else "pictures.example"
        reasons.add(net.refused(f"http://{host}/a.png", within(5, 5, 1000)))
        dialled[each] = net.dials
    web.close()

    assert dialled == {each: [] for each in EXPECTED}
    assert reasons == {"host_not_public"}
    assert web.received == 0


@pytest.mark.rule("U5")
def test_U5_public_addresses_are_dialled_unchanged() -> None:
    web = Web()
    dialled = []
    for each in addresses.PUBLIC:
        net = Net(web, {"pictures.example": [[each]]})
        net.fetch("http://pictures.example/a.png", within(5, 5, 1000))
        net.fetch(f"http://{f'[{each}]' if ':' in each else each}/a.png", within(5, 5, 1000))
        dialled.append(net.dials)
    web.close()

    wanted = [[(str(ipaddress.ip_address(each)), 80)] * 2 for each in addresses.PUBLIC]
    assert list(chain(dialled)) == wanted

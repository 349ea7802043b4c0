"""Methods that take a page by `lid` alone: which values find a page and which do not (C5, C7, C8,
R2).
"""

from collections.abc import Sequence
from typing import Any

import pytest
from conftest import MakeService
from contract.rules import rows
from contract.worlds import NO_INTEGERS, NO_TEXTS, everything, tree
from msgspec import Struct

DELETE = "landing.landing.delete"
MARK = "landing.landing.markDelete"
MOVE = "landing.landing.move"
URL = "landing.landing.getpublicurl"

TRASHED, HIDDEN_WITHOUT_SCOPE = 13, 30
NOWHERE = (99, 0, -1, -12, 2**31, 2**63, 10**30, HIDDEN_WITHOUT_SCOPE)


class Method(Struct, frozen=True):
    """A method; `refused` are values that its own parameters refuse."""

    name: str
    refused: dict[str, list[Any]] = {}
    sent: dict[str, Any] = {}
    absent: Sequence[int] = NOWHERE
    error: str = "LANDING_NOT_EXIST"


NO_MARKS = [*NO_TEXTS, "x", "deleted", 2, 0.5]
PLACES = {"toSiteId": NO_INTEGERS, "toFolderId": NO_INTEGERS}
METHODS = [
    Method(DELETE),
    Method(MARK, refused={"mark": NO_MARKS}, error="ACCESS_DENIED"),
    Method(MOVE, refused=PLACES, sent={"toSiteId": 8}, absent=(*NOWHERE, TRASHED)),
    Method(URL, absent=(*NOWHERE, TRASHED)),
]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)


@pytest.mark.rule("R2", "R6", "C5", *rows(DELETE, "LANDING_NOT_EXIST scope lid"))
@pytest.mark.rule(*rows(MARK, "ACCESS_DENIED lid scope"), *rows(MOVE, "LANDING_NOT_EXIST lid"))
@pytest.mark.rule(*rows(URL, "LANDING_NOT_EXIST scope"))
@every_method
def test_R2_R6_missing_and_invisible_pages_are_answered_alike(
    make_service: MakeService, method: Method
) -> None:
    service = make_service(world=tree())
    before = everything(service)
    calls: list[dict[str, Any]] = [{"lid": each, **method.sent} for each in method.absent]
    calls += [{"lid": 12, "scope": scope} for scope in ("STORE", "x")]

    bodies = [service.call(method.name, sent).body for sent in calls]

    for body in bodies:
        body.pop("time", None)
        assert body == bodies[0]
    assert bodies[0]["error"] == method.error
    assert everything(service) == before
    sent = {"lid": HIDDEN_WITHOUT_SCOPE, "scope": "Knowledge"}
    assert service.call(method.name, sent).error is None


@pytest.mark.rule("C5", "C6", "C8")
@pytest.mark.rule(*(f"{method.name} TYPE_ERROR" for method in METHODS))
@every_method
def test_C5_C6_C8_a_parameter_of_the_wrong_type(make_service: MakeService, method: Method) -> None:
    service = make_service(world=tree())
    before = everything(service)
    refused: list[dict[str, Any]] = [{"lid": bad} for bad in NO_INTEGERS if bad != []]
    for name, values in {**method.refused, "scope": NO_TEXTS}.items():
        refused += [{"lid": 12, name: bad} for bad in values]

    for sent in refused:
        assert service.call(method.name, sent).error == "TYPE_ERROR", sent
    assert everything(service) == before


@pytest.mark.rule("C7", "C8", *(f"{method.name} MISSING_PARAMS" for method in METHODS))
@every_method
def test_C7_C8_lid_is_required(make_service: MakeService, method: Method) -> None:
    service = make_service(world=tree())
    before = everything(service)

    absent: list[dict[str, Any]] = [{}, {"lid": None, "scope": []}]
    answers = [service.call(method.name, sent) for sent in absent]

    texts = {(each.error, each.body["error_description"].partition(": ")[2]) for each in answers}
    assert texts == {("MISSING_PARAMS", "lid")}
    assert everything(service) == before

"""Hints beside an answer: a similar name (C13) and warnings; and files in forms (C3)."""

from collections.abc import Iterator
from typing import Any

import pytest
from kernel.sample import CALL, Brings, Nothing
from msgspec import Struct

from landyard import Call, FilePart, MethodGroup, Plugin
from landyard.testing import WEBHOOK, Service


class Photo(Struct, frozen=True):
    photo: FilePart | str = ""


def _plugin() -> Plugin:
    group = MethodGroup(scope="sample")

    @group.method("sample.warn")
    def warn(call: Call, params: Nothing) -> bool:
        """Warn."""
        for text in ("TITEL", "TITEL", "\r\nX-Evil: ñ", "x" * 2000):
            call.warn(text)
        return True

    @group.method("sample.keep")
    def keep(call: Call, params: Photo) -> str:
        """Answer the parameters, and the length of the picture."""
        sent = params.photo
        return sent if isinstance(sent, str) else f"{sent.name} {len(sent.content)}"

    return Plugin("sample", Brings(group))


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    blind = {"user": 1, "code": f"{WEBHOOK}-blind", "scopes": []}
    hooks = [blind, {"user": 1, "code": WEBHOOK, "scopes": ["sample"]}]
    with Service([_plugin()], world={"users": [{"id": 1}], "webhooks": hooks}) as service:
        yield service


@pytest.mark.rule("C13")
@pytest.mark.parametrize(
    ("method", "webhook", "suggested"),
    [
        ("Sample.Wran", WEBHOOK, "sample.warn"),
        ("other", WEBHOOK, ""),
        ("x" * 100_000, WEBHOOK, ""),
        ("sample.wran", f"{WEBHOOK}-blind", ""),
    ],
)
def test_C13_an_unknown_method_suggests_one_that_the_caller_may_list(
    service: Service, method: str, webhook: str, suggested: str
) -> None:
    answer = service.call(method, webhook=webhook)

    assert answer.error == "ERROR_METHOD_NOT_FOUND"
    text = answer.body["error_description"]
    assert (f"`{suggested}`" in text) if suggested else ("sample" not in text)


def test_a_warning_is_a_header_of_plain_characters_and_not_in_the_body(
    service: Service,
) -> None:
    answer = service.request("POST", f"/rest{CALL}sample.warn")

    header = answer.headers["landyard-warning"]
    assert header.startswith("TITEL; \\r\\nX-Evil: \\xf1; xxx")
    assert len(header) == 1000
    assert set(answer.json()) == {"result", "time"}


@pytest.mark.rule("C3")
@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"files": {"photo": ("a.png", b"\x00\xff")}}, "a.png 2"),
        ({"data": {"photo": "text"}}, "text"),
        ({"files": {"photos": ("a.png", b"1")}}, "'photos'"),
        ({"files": {"photo[]": ("a.png", b"1")}}, "'photo[]'"),
    ],
)
def test_C3_a_file_fills_the_parameter_for_files_or_is_refused_by_name(
    service: Service, form: dict[str, Any], message: str
) -> None:
    answer = service.request("POST", f"/rest{CALL}sample.keep", **form).json()

    assert answer.get("result", answer.get("error")) in {message, "INVALID_REQUEST"}
    assert message in answer.get("result", answer.get("error_description"))

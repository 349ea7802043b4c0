"""A deprecated method announces its end in every answer, at least a year ahead."""

from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

import pytest
from kernel.sample import CALL, Brings, Nothing

from landyard import Call, Deprecation, MethodGroup, Plugin
from landyard.testing import Service

NOTICE = Deprecation(date(2026, 1, 1), date(2027, 1, 1), instead="sample.new")


def plugin() -> Plugin:
    group = MethodGroup(scope="sample")

    @group.method("sample.old", deprecated=NOTICE)
    def old(call: Call, params: Nothing) -> bool:
        """Answer as before."""
        return True

    @group.method("sample.new")
    def new(call: Call, params: Nothing) -> bool:
        """Answer anew."""
        return True

    return Plugin("sample", Brings(group))


@pytest.mark.parametrize(("path", "status"), [(CALL, 200), ("/1/wrong-code-0123456789/", 401)])
def test_its_answers_say_since_when_and_until_when(path: str, status: int) -> None:
    with Service([plugin()]) as service:
        answer = service.request("POST", f"/rest{path}sample.old")

    since = datetime.fromtimestamp(int(answer.headers["deprecation"].removeprefix("@")), UTC)
    assert answer.status_code == status
    assert since == datetime(2026, 1, 1, tzinfo=UTC)
    assert parsedate_to_datetime(answer.headers["sunset"]) == datetime(2027, 1, 1, tzinfo=UTC)
    assert answer.headers["sunset"].endswith(" GMT")


def test_answers_of_other_methods_say_nothing() -> None:
    with Service([plugin()]) as service:
        answer = service.request("POST", f"/rest{CALL}sample.new")

    assert answer.status_code == 200
    assert "deprecation" not in answer.headers
    assert "sunset" not in answer.headers


@pytest.mark.parametrize("until", [date(2026, 12, 31), date(2026, 1, 1), date(2025, 1, 1)])
def test_less_than_a_year_of_notice_is_refused(until: date) -> None:
    with pytest.raises(ValueError, match="less than a year"):
        Deprecation(date(2026, 1, 1), until)

"""The page, as visitors without JavaScript use it."""

from collections.abc import Iterator
from datetime import UTC, datetime

import landyard_events
import pytest
from landyard.testing import Service
from landyard_events import deliver_due

import landyard_poll

NOON = datetime(2027, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def service() -> Iterator[Service]:
    with Service([landyard_events, landyard_poll], now=NOON) as service:
        service.result(
            "poll.add",
            question="<script>1</script>?",
            choices=["Tea & milk", "{coffee}"],
            end="2027-05-02T12:00:00Z",
        )
        yield service


def visit(service: Service) -> str:
    """Open the page for the first time, and return the cookie that a browser would keep."""
    cookie: str = service.get("/poll/1").headers["set-cookie"]
    return cookie.partition(";")[0]


def vote(service: Service, cookie: str, choice: str) -> int:
    sent = service.request("POST", "/poll/1", data={"choice": choice}, headers={"Cookie": cookie})
    status: int = sent.status_code
    return status


def test_the_page_has_the_question_and_a_form(service: Service) -> None:
    page = service.get("/poll/1")

    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "<h1>&lt;script&gt;1&lt;/script&gt;?</h1>" in page.text
    assert "<script" not in page.text
    assert 'value="1" required> Tea &amp; milk' in page.text
    assert 'value="2" required> {coffee}' in page.text
    assert "<table" not in page.text


def test_the_page_is_safe(service: Service) -> None:
    headers = service.get("/poll/1").headers

    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "form-action 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    cookie = headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie


def test_a_visitor_who_has_voted_sees_the_results(service: Service) -> None:
    cookie = visit(service)

    assert vote(service, cookie, "2") == 303
    page = service.get("/poll/1", Cookie=cookie).text
    assert "<th>{coffee}</th><td>1</td>" in page
    assert "<form" not in page
    assert "<form" in service.get("/poll/1").text


def test_no_visitor_votes_twice(service: Service) -> None:
    cookie = visit(service)
    vote(service, cookie, "2")

    assert vote(service, cookie, "1") == 303
    votes = [each["votes"] for each in service.result("poll.results", id=1)["choices"]]
    assert votes == [0, 1]


def test_a_vote_needs_the_cookie_and_a_choice(service: Service) -> None:
    assert service.request("POST", "/poll/1", data={"choice": "1"}).status_code == 403
    cookie = visit(service)
    for nonsense in ("", "3", "x", "1 or 1"):
        assert vote(service, cookie, nonsense) == 400
    assert [each["votes"] for each in service.result("poll.results", id=1)["choices"]] == [0, 0]


@pytest.mark.parametrize("path", ["/poll/2", "/poll/0", "/poll/-1", f"/poll/{10**30}", "/poll/x"])
def test_a_missing_poll_is_not_found(service: Service, path: str) -> None:
    assert service.get(path).status_code == 404
    assert service.request("POST", path, data={"choice": "1"}).status_code == 404


def test_an_ended_poll_accepts_no_votes(service: Service) -> None:
    cookie = visit(service)
    service.later(days=1)  # the job has not run

    assert vote(service, cookie, "1") == 303
    assert "This poll is closed." in service.get("/poll/1", Cookie=cookie).text
    assert [each["votes"] for each in service.result("poll.results", id=1)["choices"]] == [0, 0]


def test_the_winner_is_stored(service: Service) -> None:
    for choice in ("1", "2", "2"):
        vote(service, visit(service), choice)
    service.result("poll.close", id=1)
    assert service.result("poll.results", id=1)["winner"] is None

    deliver_due(service.kernel)

    assert service.result("poll.results", id=1)["winner"] == "{coffee}"
    assert "This poll is closed." in service.get("/poll/1").text


def test_a_tie_has_no_winner(service: Service) -> None:
    for choice in ("1", "2"):
        vote(service, visit(service), choice)
    service.result("poll.close", id=1)
    deliver_due(service.kernel)

    assert service.result("poll.results", id=1)["winner"] is None


def test_behind_tls_the_cookie_is_secure() -> None:
    with Service(
        [landyard_events, landyard_poll], public_base="https://polls.example.org"
    ) as service:
        added = service.result("poll.add", question="Tea?", choices=["Yes", "No"])

        assert added["url"] == "https://polls.example.org/poll/1"
        assert "; secure" in service.get("/poll/1").headers["set-cookie"].lower()

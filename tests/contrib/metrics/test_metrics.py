"""The metrics of a service, and the scrapers that may read them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from conftest import MakeService
from kernel.sample import Brings, Nothing
from kernel.serving.jobs import run_due
from kernel.supervised import until
from prometheus_client.parser import text_string_to_metric_families

import landyard_metrics
from landyard import Call, CallError, Job, MethodGroup, Plugin, hookimpl
from landyard.testing import Service

TOKEN = "token-of-a-scraper-0123456789"
METRICS = Plugin("metrics", landyard_metrics)


class Refused(CallError):
    code = "SAMPLE_REFUSED"
    text = "No."


class Sample(Brings):
    def __init__(self) -> None:
        group = MethodGroup(scope="sample")
        super().__init__(group)

        @group.method("sample.reads")
        def reads(call: Call, params: Nothing) -> bool:
            """Ask the database."""
            return bool(call.session.connection().exec_driver_sql("SELECT 1").scalar())

        @group.method("sample.refuses", errors=[Refused])
        def refuses(call: Call, params: Nothing) -> bool:
            """Refuse."""
            raise Refused

    @hookimpl
    def register_jobs(self) -> list[Job]:
        return [
            Job("sample.works", timedelta(hours=1), lambda _: None),
            Job("sample.crashes", timedelta(hours=1), lambda _: 1 // 0),
        ]


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return made(make_service, open=True)


def made(make_service: MakeService, **settings: Any) -> Service:
    return make_service([METRICS, Plugin("sample", Sample())], metrics=settings)


def scraped(service: Service, **headers: str) -> Callable[..., float]:
    """Scrape, and return a function that looks a sample up by its name and labels."""
    answer = service.get("/-/metrics", **headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    return lambda name, **labels: found.get((name, *sorted(labels.items())), 0.0)


def test_calls_are_counted_by_method_and_plugin(service: Service) -> None:
    named = {"plugin": "sample", "method": "sample.reads"}
    for _ in range(3):
        service.result("sample.reads")

    metrics = until(lambda: told_once("landyard_call_seconds_count", 3, service, **named))

    assert metrics("landyard_call_seconds_bucket", le="+Inf", **named) == 3
    assert 0 < metrics("landyard_call_seconds_sum", **named) < 60
    assert metrics("landyard_call_errors_total", code="SAMPLE_REFUSED", **named) == 0


def told_once(name: str, count: float, service: Service, **labels: str) -> Any:
    """Scrape until a sample has this count; None before."""
    metrics = scraped(service)
    return metrics if metrics(name, **labels) == count else None


def test_failures_are_counted_by_code(service: Service) -> None:
    name = "landyard_call_errors_total"
    service.call("sample.refuses")
    service.call("sample.unknown")

    until(
        lambda: told_once(
            name, 1, service, plugin="sample", method="sample.refuses", code="SAMPLE_REFUSED"
        )
    )
    # A text that a caller wrote in place of a method is no label.
    until(lambda: told_once(name, 1, service, plugin="", method="", code="ERROR_METHOD_NOT_FOUND"))


@pytest.mark.parametrize(
    ("path", "body", "code", "status"),
    [
        ("/rest/sample.reads", b"{", "INVALID_REQUEST", "400"),
        ("/rest/sample.reads", b" " * 101, "INVALID_REQUEST", "413"),
        ("/rest/a%2Fb", b"", "ERROR_METHOD_NOT_FOUND", "404"),
    ],
)
def test_requests_refused_before_a_call_are_counted_by_code_and_status(
    make_service: MakeService, path: str, body: bytes, code: str, status: str
) -> None:
    service = make_service([METRICS], metrics={"open": True}, max_body=100)

    assert service.request("POST", path, content=body).status_code == int(status)

    metrics = scraped(service)
    assert metrics("landyard_requests_refused_total", code=code, status=status) == 1
    assert metrics("landyard_call_seconds_count", plugin="", method="") == 0


def test_jobs_are_counted(service: Service) -> None:
    run_due(service.kernel)
    works = {"plugin": "sample", "job_name": "sample.works"}
    crashes = {"plugin": "sample", "job_name": "sample.crashes"}

    until(lambda: told_once("landyard_job_errors_total", 1, service, **crashes))
    metrics = until(lambda: told_once("landyard_jobs_total", 1, service, **works))

    assert metrics("landyard_job_errors_total", **works) == 0
    assert metrics("landyard_job_seconds_total", **works) >= 0


def test_threads_and_the_database_are_measured(service: Service) -> None:
    before = scraped(service)("landyard_database_statements_total")
    service.result("sample.reads")

    metrics = scraped(service)

    threads = service.kernel.settings.threads
    assert metrics("landyard_threads", pool="reading") == threads
    assert metrics("landyard_threads_busy", pool="reading") == 1  # the scrape itself
    assert metrics("landyard_queue", pool="writing") == 0
    assert metrics("landyard_database_statements_total") > before
    assert metrics("landyard_database_seconds_total") > 0
    assert metrics("landyard_database_connections") >= 1
    assert metrics("landyard_database_connections_busy") == 0
    assert metrics("landyard_workers") == 1


def test_metrics_are_closed_until_a_setting_opens_them(make_service: MakeService) -> None:
    service = made(make_service)

    assert service.get("/-/metrics").status_code == 403
    assert service.get("/-/metrics", authorization="Bearer ").status_code == 403


def test_metrics_are_open_to_a_scraper_with_the_token(make_service: MakeService) -> None:
    service = made(make_service, token=TOKEN)

    assert scraped(service, authorization=f"Bearer {TOKEN}")("landyard_workers") == 1
    for shown in ("", "Bearer ", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer é"):
        refused = service.request(
            "GET", "/-/metrics", headers={"authorization": shown.encode("latin-1")}
        )
        assert refused.status_code == 401, shown
        assert refused.headers["www-authenticate"] == "Bearer"
        assert "landyard_" not in refused.text


def test_a_guessable_token_is_refused(make_service: MakeService) -> None:
    with pytest.raises(Exception, match=r"metrics\.token"):
        made(make_service, token="short")


def test_counts_of_a_worker_that_stopped_stay(make_service: MakeService) -> None:
    first = made(make_service, open=True)
    first.result("sample.reads")
    scraped(first)
    first.close()

    metrics = scraped(
        made(
            make_service,
            open=True,
        )
    )

    assert metrics("landyard_call_seconds_count", plugin="sample", method="sample.reads") == 1
    assert metrics("landyard_workers") == 1

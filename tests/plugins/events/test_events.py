"""Events reach subscribers in the transaction, or after the commit at least once and in order per
subject.
"""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from conftest import MakeService
from kernel.supervised import until
from plugins.events.polls import Polls, Remind, Voted
from sqlalchemy import func, select

from landyard import Event, Plugin, Subscriber
from landyard.serving.jobs import JobRunner
from landyard.testing import Service
from landyard_events import (
    Delivery,
    GiveUp,
    NotDelivered,
    after,
    deliver_due,
    delivery,
    event_types,
    find_event,
    later,
    outbox,
)
from landyard_events.tables import DEAD, DELIVERY, QUEUE

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def stored(service: Service) -> tuple[int, int, int]:
    """The number of waiting events, of queues, and of dead letters."""
    with service.kernel.store.session() as session:
        waiting, queues, dead = (
            session.execute(select(func.count(each))).scalar_one()
            for each in (DELIVERY.id, QUEUE.id, DEAD.id)
        )
    return waiting, queues, dead


def vote(service: Service, poll: int, votes: int = 1) -> None:
    service.result("poll.vote", poll=poll, votes=votes)


def votes(polls: Polls, poll: int) -> list[int]:
    return [vote for _, of, vote in polls.heard if of == poll]


def test_a_failing_subscriber_inside_the_transaction_refuses_the_call(
    make_service: MakeService,
) -> None:
    heard: list[Event] = []

    def tell(unit: Any, event: Voted) -> None:
        heard.append(event)
        if event.vote:
            raise ValueError("one vote only")

    polls = Polls(Subscriber(Voted, tell), after(Event, "poll.all", lambda *_: None))
    service = make_service(polls.plugins())

    vote(service, 1)
    assert heard == [Voted(1, 0)]
    refused = service.call("poll.vote", poll=1, votes=2)

    assert (refused.status, refused.error) == (503, "OVERLOAD_LIMIT")
    assert stored(service) == (1, 1, 0)  # the stored event for `poll.all` is rolled back too


def test_events_are_delivered_after_the_commit_in_order(make_service: MakeService) -> None:
    polls = Polls()
    service = make_service(polls.plugins(), raise_crashes=False)

    assert service.call("poll.vote", poll=1, fails=True).status == 500
    assert deliver_due(service.kernel) == 0
    vote(service, 1, 60)
    vote(service, 2, 3)

    assert (deliver_due(service.kernel), polls.heard[0][0][:4]) == (63, "evt_")
    assert (votes(polls, 1), votes(polls, 2)) == ([*range(60)], [0, 1, 2])
    assert stored(service) == (0, 0, 0)


def test_a_subject_waits_for_its_failing_event_and_others_go_on(make_service: MakeService) -> None:
    polls = Polls()
    service = make_service(polls.plugins(), now=NOW, events={"tries": 3, "pause": 10.0})
    polls.failing = {1}
    vote(service, 1, 3)
    vote(service, 2)

    deliver_due(service.kernel, raise_failures=False)
    assert (votes(polls, 1), votes(polls, 2)) == ([0], [0])
    assert deliver_due(service.kernel) == 0
    for seconds in (13, 49):  # a pause, then one four times as long; each up to a fifth longer
        assert stored(service) == (2, 1, 0)
        service.later(seconds=seconds)
        deliver_due(service.kernel, raise_failures=False)

    assert votes(polls, 1) == [0, 2]  # the event between is a dead letter
    assert stored(service) == (0, 0, 1)


def test_events_delayed_by_a_wrong_clock_are_delivered_once_it_is_right(
    make_service: MakeService,
) -> None:
    polls = Polls()
    service = make_service(polls.plugins(), now=NOW + timedelta(hours=2), events={"pause": 10.0})
    polls.failing = {0}
    vote(service, 1)
    deliver_due(service.kernel, raise_failures=False)  # the retry is due in some seconds
    vote(service, 2)
    service.now, polls.failing = NOW, set()
    assert deliver_due(service.kernel) == 0

    service.run_jobs()

    assert deliver_due(service.kernel) == 2


def test_a_delayed_event_waits_for_its_time(make_service: MakeService) -> None:
    polls = Polls()
    service = make_service(polls.plugins(), now=NOW, events={"pause": 10.0})
    polls.failing = {0}
    vote(service, 1)
    deliver_due(service.kernel, raise_failures=False)
    polls.failing = set()

    service.run_jobs()

    assert deliver_due(service.kernel) == 0


def test_a_handlers_writes_are_kept_with_the_delivery_mark_or_not_at_all(
    make_service: MakeService,
) -> None:
    def handle(delivery: Delivery, event: Voted) -> None:
        later(delivery, Remind(event.poll), delay=timedelta(days=1))
        if delivery.attempt < 3:
            raise NotDelivered("the first two tries fail")

    polls = Polls(handler=handle)
    service = make_service(polls.plugins(), now=NOW)
    vote(service, 1)
    for _ in range(3):
        assert stored(service)[0] == 1
        deliver_due(service.kernel, raise_failures=False)
        service.later(minutes=1)

    assert stored(service)[0] == 1  # the reminder waits
    service.later(days=1)
    assert (deliver_due(service.kernel), [each[1:] for each in polls.heard]) == (1, [(1, 0)])


def test_targets_of_a_subscriber_without_a_transaction_keep_their_own_orders(
    make_service: MakeService,
) -> None:
    messages: list[tuple[str, str, int]] = []

    def handle(delivery: Delivery, event: Voted) -> None:
        with pytest.raises(RuntimeError, match="transaction=False"):
            _ = delivery.connection
        if delivery.target == "gone":
            raise GiveUp("410")
        messages.append((delivery.id, delivery.target, event.vote))

    def targets(_: Any, event: Voted) -> list[str]:
        return [] if event.poll == 1 else ["here", "gone"]

    polls = Polls(handler=handle, transaction=False, targets=targets)
    service = make_service(polls.plugins())
    vote(service, 1)
    assert stored(service) == (0, 0, 0)
    vote(service, 2, 2)

    assert stored(service) == (4, 2, 0)
    deliver_due(service.kernel, raise_failures=False)
    assert [each[1:] for each in messages] == [("here", 0), ("here", 1)]
    assert stored(service) == (0, 0, 2)
    with service.kernel.store.session() as session:
        dead = session.execute(select(DEAD.event_id, DEAD.error).order_by(DEAD.id)).all()
    assert [tuple(row) for row in dead] == [(each[0], "410") for each in messages]


def test_an_event_that_kills_or_hangs_the_process_is_given_up(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "MARGIN", 0.0)
    polls = Polls(seconds=1)

    def hang(delivery: Delivery, event: Voted) -> None:
        service.later(seconds=2)
        polls.heard.append((delivery.id, event.poll, delivery.attempt))

    polls.subscribers = (after(Voted, "poll.count", hang, seconds=1),)
    service = make_service(polls.plugins(), now=NOW, events={"tries": 2})
    vote(service, 1)
    deliver_due(service.kernel, raise_failures=False)

    assert votes(polls, 1) == [1, 2]
    assert stored(service) == (0, 0, 1)


def test_a_failing_handler_fails_the_test(make_service: MakeService) -> None:
    polls = Polls()
    polls.failing = {0}
    service = make_service(polls.plugins())
    vote(service, 1)
    vote(service, 2)

    with pytest.raises(ValueError, match="vote 0 does not count"):
        deliver_due(service.kernel)
    assert stored(service) == (2, 2, 0)  # the event is still due for a retry


def test_two_workers_never_both_deliver_one_event(make_service: MakeService) -> None:
    heard: list[tuple[int, int]] = []

    def handle(_: Delivery, event: Voted) -> None:
        time.sleep(0.001)
        heard.append((event.poll, event.vote))

    polls = Polls(handler=handle, transaction=False)
    services = [make_service(polls.plugins()), make_service(polls.plugins(), world={})]
    for poll in range(8):
        vote(services[0], poll, 10)
    threads = [threading.Thread(target=deliver_due, args=(each.kernel,)) for each in services]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert len(heard) == 80
    for poll in range(8):
        assert [vote for of, vote in heard if of == poll] == [*range(10)]


@pytest.mark.postgres
def test_numbers_are_taken_in_the_order_of_commits(postgres_url: str, tmp_path: Any) -> None:
    polls = Polls()
    with Service(polls.plugins(), data=tmp_path, database_url=postgres_url, world={}) as service:
        kernel = service.kernel
        second = threading.Thread(
            target=lambda: kernel.store.run(
                lambda unit: kernel.publish(unit, Voted(1, 2)), writes=True
            )
        )
        with kernel.store.unit(writes=True) as unit:
            kernel.publish(unit, Voted(1, 1))
            second.start()
            second.join(0.3)
            assert second.is_alive()  # it waits for the first commit
        second.join(10)
        deliver_due(kernel)
    assert votes(polls, 1) == [1, 2]


def serve(make_service: MakeService, polls: Polls, **settings: Any) -> Service:
    service = make_service(polls.plugins(), **settings)
    service.kernel.process.serving = True
    return service


def test_a_server_delivers_soon_after_the_commit(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "LOOK", 60.0)
    polls = Polls(threads=2)
    service = serve(make_service, polls)
    began = time.monotonic()
    vote(service, 1, 2)

    until(lambda: len(polls.heard) == 2)
    assert time.monotonic() - began < 20


def test_a_server_first_delivers_events_left_from_before(make_service: MakeService) -> None:
    polls = Polls()
    service = make_service(polls.plugins())
    vote(service, 1, 2)
    time.sleep(0.1)
    assert polls.heard == []  # no server runs yet

    runner = JobRunner(service.kernel)
    runner.start()
    until(lambda: votes(polls, 1) == [0, 1])
    runner.stop(grace=1.0)


def test_slow_deliveries_take_their_threads(make_service: MakeService) -> None:
    begun: list[int] = []
    two_at_once = threading.Event()
    alone: list[int] = []

    def handle(delivery: Delivery, event: Voted) -> None:
        begun.append(event.poll)
        if len(begun) > 1:
            two_at_once.set()
        if not two_at_once.wait(30):  # the first goes on once a second has begun
            alone.append(event.poll)
        polls.count(delivery, event)

    polls = Polls(handler=handle, transaction=False, threads=8)
    service = make_service(polls.plugins())
    for poll in range(16):
        vote(service, poll)
    service.kernel.process.serving = True
    vote(service, 16)

    until(lambda: len(polls.heard) == 17)
    assert alone == []


def test_a_hanging_handler_delays_no_other(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "MARGIN", 0.1)
    monkeypatch.setattr("landyard_events.outbox.MARGIN", 0.1)
    over = threading.Event()
    polls = Polls()

    def handle(delivery: Delivery, event: Voted) -> None:
        if event.poll == 1:
            over.wait(20)
        polls.count(delivery, event)

    polls.subscribers = (
        after(Voted, "poll.count", handle, transaction=False, seconds=0.2),
        after(Voted, "poll.other", polls.count),
    )
    service = serve(make_service, polls)
    vote(service, 1)
    until(lambda: len(polls.heard) == 1)  # the other subscriber received it
    vote(service, 2)
    until(lambda: len(votes(polls, 2)) == 2)
    over.set()


async def tell_later(unit: Any, event: Event) -> None: ...


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: after(Voted, "a", tell_later), "must be a plain function"),
        (lambda: after(Voted, "", print), "needs a name"),
        (lambda: after("ballot.voted", "a", print), "is no type of events"),  # type: ignore[arg-type]
    ],
)
def test_mistakes_are_refused(make: Callable[[], Subscriber], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


def test_mistakes_are_reported_at_the_start() -> None:
    taken = Plugin("zoll", Polls(after(Voted, "poll.count", print)))
    cases = ((Polls(Subscriber(Voted, tell_later)), "async def"), (Polls(), "already brought by"))
    for polls, told in cases:
        with Service([*polls.plugins(), taken], strict=False) as service:
            reasons = [each.reason for each in service.kernel.resolution.states]
        assert any(told in reason for reason in reasons), reasons


def test_topics_are_found_and_the_nearest_is_suggested() -> None:
    assert find_event("ballot.voted") is event_types()["ballot.voted"] is Voted
    with pytest.raises(LookupError, match=r"did you mean .ballot.voted"):
        find_event("ballot.votd")


def test_a_task_without_a_subscriber_is_reported() -> None:
    polls = Polls(Subscriber(Voted, lambda *_: None))
    with Service(polls.plugins()) as service, pytest.raises(LookupError, match="does this task"):
        service.kernel.store.run(lambda unit: later(unit, Remind(1)), writes=True)

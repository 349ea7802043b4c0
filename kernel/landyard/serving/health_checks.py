"""Health checks of workers: finds blocked event loops, hung calls and held database locks."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from landyard.serving.processes import Child


class Rules(Struct, frozen=True):
    """When the supervisor acts; all are seconds."""

    poll: float = 0.25  # between two looks at the workers
    blocked: float = 5.0  # an event loop has not turned: the worker is killed
    over_limit: float = 10.0  # a call runs on behind its time limit: the worker is replaced
    lock_held: float = 5.0  # a call keeps the turn to write while others wait: the same
    lock_grace: float = 2.0  # that the worker has then to finish its other calls
    busy: float = 30.0  # writes fail for a lock of nobody here: the workers are reloaded
    freed: float = 12.0  # in which a write must have come through after the end of one of them
    loading: float = 10.0  # a worker that loads plugins is silent: it is killed
    trial: float = 4.0  # that each plugin has to load by itself
    backoff: float = 0.1  # before the start after one that failed; doubles
    longest_backoff: float = 5.0


class Fault(Struct, frozen=True):
    """What is wrong with a worker, and which method it is put down to."""

    worker: Child
    reason: str
    method: str = ""


class Watch:
    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._reloaded = False  # once, for a lock that is no call's
        self._ended = (0, 0.0)  # the last worker that ended since then, and when

    @property
    def waits(self) -> bool:
        """Whether a worker has ended lately that may have held a lock on the database."""
        return self._ended[0] > 0

    def note_end(self, worker: Child, now: float) -> None:
        """Note that a worker has ended which was to be replaced."""
        if self._reloaded:
            self._ended = (worker.pid, now)

    def faults(self, workers: Sequence[Child], now: float) -> Iterator[Fault]:
        """Find what is wrong with workers that are ready, also with those that stop."""
        rules = self._rules
        waits = any(each.health.lock.waiting_since for each in workers)
        for worker in workers:
            health, lock = worker.health, worker.health.lock
            seen = health.turned_at  # nothing is known of a worker since its loop stands
            if now - seen > rules.blocked and not worker.end_by:
                yield Fault(worker, "loop_blocked")
            elif not worker.may_wait and now - worker.loading_since > rules.loading:
                yield Fault(worker, "loading_hangs")
            elif waits and lock.held_since and seen - lock.held_since > rules.lock_held:
                yield Fault(worker, "write_lock_held", lock.holder)
            elif health.over_limit and seen - health.over_limit_since > rules.over_limit:
                yield Fault(worker, "call_over_limit", health.over_limit)
        busy = [since for each in workers if (since := each.health.lock.busy_since)]
        if not busy and not waits:
            self._reloaded = self.waits
        elif busy and now - min(busy) > rules.busy and not self._reloaded:
            self._reloaded = True
            yield from (Fault(worker, "database_locked") for worker in workers)

    def freed_by(self, workers: Sequence[Child], now: float) -> int:
        """Say once which worker's end has freed the database of a lock; 0 for none."""
        pid, at = self._ended
        locks = [each.health.lock for each in workers]
        freed = not any(each.busy_since or 0 < (each.waiting_since or 0) < at for each in locks)
        if freed or now - at > self._rules.freed:
            self._ended = (0, 0.0)
        return pid if freed else 0

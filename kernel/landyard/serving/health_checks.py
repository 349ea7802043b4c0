"""Health checks: finds for the supervisor blocked event loops, hung calls and held locks."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from landyard.serving.processes import Child


class Rules(Struct, frozen=True):
    """When the supervisor acts; all are seconds."""

    poll: float = 0.25  # pause between two looks at the workers
    blocked: float = 5.0  # event loop stands still: the worker is killed
    over_limit: float = 10.0  # call runs on after its time limit: the worker is replaced
    lock_held: float = 5.0  # call keeps other calls from writing: the worker is replaced
    lock_grace: float = 2.0  # time for the replaced worker to finish its other calls
    busy: float = 30.0  # writes fail for a lock that no call holds: the workers are reloaded
    freed: float = 12.0  # time for a write to succeed after a reloaded worker has ended
    loading: float = 10.0  # worker is silent while a plugin loads: the worker is killed
    trial: float = 4.0  # time for each plugin to load by itself
    backoff: float = 0.1  # pause after a failed start; doubles with each failure
    longest_backoff: float = 5.0


class Fault(Struct, frozen=True):
    """A fault of a worker: the reason, and the method that is to blame, if any."""

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

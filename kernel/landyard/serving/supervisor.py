"""The supervisor: a process that starts workers, watches them from outside, and replaces them."""

import selectors
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Self

import msgspec
import structlog

from landyard.plugin_host.circuit_breaker import pause
from landyard.serving.health_checks import Fault, Rules, Watch
from landyard.serving.processes import SIGNALS, Child, Health, Link, Message, fork
from landyard.serving.scoreboard import Scoreboard

log = structlog.get_logger()

TOO_MANY_DEATHS = 3  # in a row, of workers that were running a call of the same method
_TOO_MANY_STARTS = 3  # that failed, and nobody knows why
_ONE_BY_ONE = {"reload", "database_locked"}


class Supervisor:
    """Keeps so many workers running until it is told to stop. Use it as a context.

    Signals count from its beginning: `SIGTERM` and `SIGINT` stop the service, `SIGHUP` replaces
    all workers. No thread may run in this process, for it forks.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._watch = Watch(rules)
        self._selector = selectors.DefaultSelector()
        self._woken, self._waking = socket.socketpair()
        self._workers: list[Child] = []
        self._left_out: dict[str, str] = {}
        self._loaded: set[str] = set()  # plugins that a worker has loaded, well or not
        self._suspect: str | None = None  # the plugin that was loaded when a start failed
        self._failed_starts: Counter[str] = Counter()  # in a row, by that plugin
        self._start_at = 0.0
        self._ever_ready = False
        # By method those in a row, and of each whose calls of the method were in it.
        self._deaths: dict[str, list[frozenset[str]]] = {}
        self._to_open: set[str] = set()  # methods to refuse, of which no worker was told yet
        self._refused: dict[str, dict[str, float]] = {}  # by method: callers, and until when
        self._stopping = False
        self._refusal = ""
        self._looked_at = time.monotonic()

    def __enter__(self) -> Self:
        for end in (self._woken, self._waking):
            end.setblocking(False)
        self._selector.register(self._woken, selectors.EVENT_READ)
        # The handlers do nothing: each signal is read from the socket that it is written to.
        self._handlers = {each: signal.signal(each, lambda *_: None) for each in SIGNALS}
        self._wakeup = signal.set_wakeup_fd(self._waking.fileno())
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._let_go()

    def run(
        self,
        count: int,
        grace: float,
        work: Callable[[Mapping[str, str], bool, Link, Scoreboard], object],
        try_plugins: Callable[[str, float], Mapping[str, str]],
    ) -> str:
        """Keep `count` workers running; return why the service could not start, or nothing.

        Each does `work` in a process of its own, and has `grace` seconds to stop. It is given the
        plugins to leave out with their reasons, and whether no worker was ever ready. After a
        failed start the next one first does `try_plugins`, for the plugin that was being loaded.
        """
        self._count, self._grace = count, grace
        self._work, self._try_plugins = work, try_plugins
        while self._workers or not self._stopping:
            missing = self._start_missing()
            for key, _ in self._selector.select(0 if missing else self._rules.poll):
                self._take_signals() if key.data is None else self._hear(key.data)
            for worker in self._workers.copy():
                if (status := worker.status()) is not None:
                    self._bury(worker, status)
            self._look(time.monotonic())
        return self._refusal

    def _take_signals(self) -> None:
        came = set(self._woken.recv(4096))
        if came & {signal.SIGTERM, signal.SIGINT}:
            self._stop()
        if signal.SIGHUP in came:
            log.info("service_reloading")
            self._left_out.clear()  # the plugins may be others by now
            for worker in self._workers:
                worker.stale = not worker.ready
                self._replace(Fault(worker, "reload"))

    def _hear(self, worker: Child) -> None:
        messages = worker.link.receive()
        if messages is None:
            self._selector.unregister(worker.link)  # how it has ended is seen in a moment
        for message in messages or ():
            match message:
                case Message("health", _, health):
                    worker.health = msgspec.convert(health, Health)
                case Message("loading", plugin, may_wait):
                    self._loaded.add(worker.loading)
                    worker.loading, worker.loading_since = plugin, time.monotonic()
                    worker.may_wait = bool(may_wait) or not plugin
                case Message("failed", reason):
                    worker.failed = reason
                case Message("ready"):
                    self._welcome(worker)
                case Message("replace", reason):
                    self._replace(Fault(worker, reason))
                case Message("finished", method, caller):
                    self._clear(method, caller or "")
                case Message("left_out", _, reasons):
                    # On a busy machine any trial may take too long. So a plugin that a worker
                    # has loaded before stays. If a later start fails with that plugin as well,
                    # `_note_failed_start` leaves the plugin out.
                    new = reasons.keys() - self._loaded
                    self._leave_out({plugin: reasons[plugin] for plugin in new})

    def _welcome(self, worker: Child) -> None:
        log.info("worker_ready", pid=worker.pid)
        worker.ready = self._ever_ready = True
        worker.health = Health(turned_at=time.monotonic())
        self._failed_starts.clear()
        for method in self._deaths:
            self._warn([worker], method)
        if worker.stale:
            self._replace(Fault(worker, "reload"))
        old, worker.replaces = worker.replaces, None
        # One whose loop is blocked was killed, and ends by that.
        if old is not None and old.fault not in {"", "loop_blocked"} and not old.end_by:
            old.stop(self._grace)

    def _start_missing(self) -> bool:
        """Start one that is missing, and a successor; answer whether more are missing."""
        if self._stopping or time.monotonic() < self._start_at:
            return False
        here = [each for each in self._workers if not each.end_by]
        successors = [each for each in here if each.replaces in here]
        # Until one is ready: each of the others would fail for the same reason.
        missing = (self._count if self._ever_ready else 1) - len(here) + len(successors)
        if missing > 0:
            self._start()
        faulty = [each for each in here if each.fault]
        faulty.sort(key=lambda each: each.fault in _ONE_BY_ONE)
        if faulty and not successors and not self._watch.waits:
            first = faulty[0]
            if first.fault not in _ONE_BY_ONE or len(here) == len(self._workers):
                self._start().replaces = first
        return missing > 1

    def _start(self) -> Child:
        left_out, first, suspect = dict(self._left_out), not self._ever_ready, self._suspect
        self._suspect = None

        def work(link: Link, scoreboard: Scoreboard) -> None:
            if suspect is not None:
                reasons = self._try_plugins(suspect, self._rules.trial)
                link.send("left_out", detail=reasons)
                left_out.update(reasons)
            self._work(left_out, first, link, scoreboard)

        worker = fork(work, self._let_go)
        self._selector.register(worker.link, selectors.EVENT_READ, worker)
        self._workers.append(worker)
        return worker

    def _let_go(self) -> None:
        """Close what is the supervisor's alone; in a child, or others would not notice its end."""
        for each in (self._selector, self._woken, self._waking):
            each.close()
        for worker in self._workers:
            worker.link.close()

    def _note_failed_start(self, worker: Child, status: int) -> None:
        plugin, reason = worker.loading, worker.failed
        self._failed_starts[plugin] += 1
        log.error("start_failed", pid=worker.pid, plugin=plugin or None, reason=reason or None)
        times = self._failed_starts.total()
        wait = self._rules.backoff * 2 ** min(times - 1, 16)
        self._start_at = time.monotonic() + min(wait, self._rules.longest_backoff)
        if reason:
            self._forgive(_ONE_BY_ONE)  # a reload would fail again and again
        if not self._ever_ready and (reason or times > _TOO_MANY_STARTS):
            self._refusal = reason or f"the worker ends with status {status} while it starts"
            self._stop()
        elif plugin and self._failed_starts[plugin] > 1:  # it was sound by itself
            self._leave_out({plugin: "a worker could not start with it, twice"})
        elif not reason:
            self._suspect = plugin

    def _leave_out(self, reasons: Mapping[str, str]) -> None:
        self._left_out.update(reasons)
        for plugin, reason in reasons.items():
            log.error("plugin_left_out", plugin=plugin, reason=reason)

    def _bury(self, worker: Child, status: int) -> None:
        if worker.link.fileno() in self._selector.get_map():
            self._hear(worker)  # its last words
        if worker.link.fileno() in self._selector.get_map():
            self._selector.unregister(worker.link)
        worker.link.close()
        self._workers.remove(worker)
        if worker.end_by:
            self._watch.note_end(worker, time.monotonic())
            return
        log.error("worker_died", pid=worker.pid, status=status, calls=worker.calls())
        for method in {method for method, _ in worker.scoreboard.calls()}:
            self._count_death(method, worker)
        if not worker.ready:
            self._note_failed_start(worker, status)

    def _stop(self) -> None:
        self._stopping = True
        for worker in self._workers:
            if not worker.end_by:
                worker.fault = "shutdown"
                worker.stop(self._grace)

    def _look(self, now: float) -> None:
        """Look at all workers, and do what is to be done about what is wrong with them."""
        held_up = now - self._looked_at > self._rules.poll + self._rules.blocked / 2
        self._looked_at = now
        if held_up:  # the machine, or the container, and the workers with it
            for worker in self._workers:
                worker.health = msgspec.structs.replace(worker.health, turned_at=now)
        for worker in self._workers:
            late = now - worker.loading_since > self._rules.loading
            if worker.end_by and now > worker.end_by:
                worker.kill()
            elif late and not (worker.ready or worker.end_by):
                worker.loading_since = now
                log.warning("worker_slow", pid=worker.pid, plugin=worker.loading or None)
                if not worker.may_wait:
                    worker.kill()
        ready = [each for each in self._workers if each.ready]
        if not self._stopping:
            for fault in self._watch.faults(ready, now):
                self._replace(fault)
        if self._watch.waits and (pid := self._watch.freed_by(ready, now)):
            log.warning("lock_freed", pid=pid)
            self._forgive({"database_locked"})

    def _replace(self, fault: Fault) -> None:
        worker, reason, method = fault.worker, fault.reason, fault.method or None
        if reason == "write_lock_held" and worker.end_by:
            worker.end_by = min(worker.end_by, time.monotonic() + self._rules.lock_grace)
        if not worker.serves or worker.fault:
            return
        worker.fault = reason
        log.warning(
            "worker_replaced", pid=worker.pid, reason=reason, method=method, calls=worker.calls()
        )
        if reason == "loop_blocked":
            worker.kill()
        elif method:
            self._count_death(method, worker)

    def _forgive(self, reasons: AbstractSet[str]) -> None:
        for worker in self._workers:
            if worker.fault in reasons and not worker.end_by:
                worker.fault = ""

    def _count_death(self, method: str, worker: Child) -> None:
        """Count that a worker has ended, or has to, with a call of this method in it.

        If the same caller had a call in every death, the method is refused for that caller alone.
        """
        deaths = self._deaths.setdefault(method, [])
        deaths.append(worker.scoreboard.callers(method))
        if len(deaths) >= TOO_MANY_DEATHS:
            callers = frozenset.intersection(*deaths)
            if callers and "" not in callers:
                seconds = pause(len(deaths) - TOO_MANY_DEATHS + 1)
                until = time.monotonic() + seconds
                self._refused[method] = dict.fromkeys(callers, until)
                told = {"deaths": len(deaths), "callers": sorted(callers), "seconds": seconds}
                log.error("breaker_opened", method=method, **told)
            else:
                log.error("breaker_opened", method=method, deaths=len(deaths))
                self._to_open.add(method)
        self._warn([each for each in self._workers if each.serves], method)

    def _clear(self, method: str, caller: str) -> None:
        """Take a caller, whose call of the method came to its end, out of the deaths."""
        left = [found for each in self._deaths.pop(method, ()) if (found := each - {caller})]
        if left:
            self._deaths[method] = left
        self._refused.get(method, {}).pop(caller, None)

    def _warn(self, workers: Sequence[Child], method: str) -> None:
        """Have workers watch for a call that finishes, and refuse the method after a new death."""
        now, deaths = time.monotonic(), self._deaths[method]
        refused = {
            who: until for who, until in self._refused.get(method, {}).items() if until > now
        }
        for worker in workers:
            for caller in sorted(frozenset().union(*deaths)):
                worker.link.send("suspect", method, caller)
            if method in self._to_open:
                worker.link.send("open", method, len(deaths))
            for caller, until in refused.items():
                worker.link.send("refuse", method, (caller, until - now))
        if workers:  # those that come later read it in the database
            self._to_open.discard(method)

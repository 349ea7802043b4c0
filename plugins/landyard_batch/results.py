"""Results: what the commands of a batch have answered, in the five maps that clients know."""

import threading
from typing import Any, Self

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from landyard import CallError, Failure, InvalidRequest, OverloadLimit, Reply, Success, Timing


class Refusal(Struct, frozen=True):
    """Why a command was not done, as a call alone would say it."""

    error: str
    error_description: str
    error_data: Any | UnsetType = UNSET
    argument: str | UnsetType = UNSET


class BatchResult(Struct, frozen=True):
    """Five maps by the commands' keys. A command is in `result` or in `result_error`.

    `result_total` and `result_next` have the commands that answered a part of a list. As PHP
    writes them, a map whose keys count from 0 is an array, and so is an empty one.
    """

    result: dict[str, Any] | list[Any]
    result_error: dict[str, Refusal] | list[Refusal]
    result_total: dict[str, int] | list[int]
    result_next: dict[str, int] | list[int]
    result_time: dict[str, Timing] | list[Timing]


class Room:
    """The room for large answers that all batches under way in this process hold."""

    def __init__(self, size: int) -> None:
        """Have `size` bytes."""
        self._left = size
        self._changing = threading.Lock()

    def take(self, size: int) -> bool:
        """Take so many bytes; False where there are not so many left."""
        with self._changing:
            if size > self._left:
                return False
            self._left -= size
            return True

    def give_back(self, size: int) -> None:
        """Make room again."""
        with self._changing:
            self._left += size


_ROOM = Room(16 * 1024 * 1024)
_LARGE = 64 * 1024  # bytes: smaller answers always have room


class Results:
    """The answers so far, by key; together they have at most `most` bytes.

    Use it as a context: it holds room for large answers until then.
    """

    def __init__(self, most: int) -> None:
        """Have none."""
        self._most, self._held = most, 0
        self.clear()

    def clear(self) -> None:
        """Have none any more."""
        _ROOM.give_back(self._held)
        self._left, self._held = self._most, 0
        self._done: dict[str, Success] = {}
        self._read: dict[str, Any] = {}
        self.refused: dict[str, Refusal] = {}

    def add(self, key: str, reply: Reply) -> None:
        """Keep a command's answer."""
        if isinstance(reply, Failure):
            more = UNSET if reply.data is None else Raw(reply.data)
            argument = UNSET if reply.argument is None else reply.argument
            self.refused[key] = Refusal(reply.error, reply.error_description, more, argument)
            return
        size = len(memoryview(_body(reply)))
        if size > self._left:
            why = f"all answers of a batch have {self._most} bytes at most"
            told = f"The command was run, and its answer is left out: {why}."
            self.refuse(key, InvalidRequest(told))
        elif size > _LARGE and not _ROOM.take(size):
            why = "other batches hold as much as this service has room for"
            told = f"The command was run, and its answer is left out: {why}."
            self.refuse(key, OverloadLimit(told))
        else:
            self._held += size if size > _LARGE else 0
            self._left -= size
            self._done[key] = reply

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def refuse(self, key: str, error: CallError) -> None:
        """Keep why a command was not run at all."""
        self.refused[key] = Refusal(error.code, error.description)

    def find(self, key: str) -> Any:
        """Return the result of a command as JSON has it, None where it has none."""
        if key not in self._read and key in self._done:
            self._read[key] = msgspec.json.decode(_body(self._done[key]))
        return self._read.get(key)

    def undone(self) -> "Results":
        """Return the refusals alone: nothing else is kept."""
        left = Results(self._most)
        left.refused = self.refused
        return left

    def told(self) -> BatchResult:
        """Write the maps."""
        done = self._done
        total = {key: each.total for key, each in done.items() if isinstance(each.total, int)}
        following = {key: each.next for key, each in done.items() if isinstance(each.next, int)}
        return BatchResult(
            _array({key: _body(each) for key, each in done.items()}),
            _array(self.refused),
            _array(total),
            _array(following),
            _array({key: each.time for key, each in done.items()}),
        )


def _body(done: Success) -> Raw:
    return done.result if isinstance(done.result, Raw) else Raw(b"null")


def _array(found: dict[str, Any]) -> Any:
    """Make a list of a map whose keys count from 0, as `json_encode` in PHP does (C16)."""
    counted = all(key == str(place) for place, key in enumerate(found))
    return list(found.values()) if counted else found

"""The answers of a batch's commands, and the five maps in which clients receive them."""

import threading
from typing import Any, Self

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from landyard import CallError, Failure, InvalidRequest, OverloadLimit, Reply, Success, Timing


class Refusal(Struct, frozen=True):
    """The error of a failed command, in the form of a failed single call."""

    error: str
    error_description: str
    error_data: Any | UnsetType = UNSET
    argument: str | UnsetType = UNSET


class BatchResult(Struct, frozen=True):
    """Five maps by the commands' keys. A command is in `result` or in `result_error`.

    `result_total` and `result_next` have the commands that answered part of a list. As in PHP, a
    map whose keys count from 0 is written as an array, and so is an empty map.
    """

    result: dict[str, Any] | list[Any]
    result_error: dict[str, Refusal] | list[Refusal]
    result_total: dict[str, int] | list[int]
    result_next: dict[str, int] | list[int]
    result_time: dict[str, Timing] | list[Timing]


class Room:
    """The memory for large answers that all running batches of this process share."""

    def __init__(self, size: int) -> None:
        """Start with `size` free bytes."""
        self._left = size
        self._changing = threading.Lock()

    def take(self, size: int) -> bool:
        """Reserve bytes; False if fewer are free."""
        with self._changing:
            if size > self._left:
                return False
            self._left -= size
            return True

    def give_back(self, size: int) -> None:
        """Free reserved bytes."""
        with self._changing:
            self._left += size


_ROOM = Room(16 * 1024 * 1024)
_LARGE = 64 * 1024  # bytes; smaller answers are not counted


class Results:
    """The answers so far by the commands' keys, at most `most` bytes together.

    Use it as a context manager: leaving it frees the memory reserved for large answers.
    """

    def __init__(self, most: int) -> None:
        """Start without answers."""
        self._most, self._held = most, 0
        self.clear()

    def clear(self) -> None:
        """Drop all answers."""
        _ROOM.give_back(self._held)
        self._left, self._held = self._most, 0
        self._done: dict[str, Success] = {}
        self._read: dict[str, Any] = {}
        self.refused: dict[str, Refusal] = {}

    def add(self, key: str, reply: Reply) -> None:
        """Store a command's answer; one that is too large is replaced by a refusal."""
        if isinstance(reply, Failure):
            more = UNSET if reply.data is None else Raw(reply.data)
            argument = UNSET if reply.argument is None else reply.argument
            self.refused[key] = Refusal(reply.error, reply.error_description, more, argument)
            return
        size = len(memoryview(_body(reply)))
        if size > self._left:
            why = f"all answers of a batch have {self._most} bytes at most"
            message = f"The command was run, and its answer is left out: {why}."
            self.refuse(key, InvalidRequest(message))
        elif size > _LARGE and not _ROOM.take(size):
            why = "other batches hold as much as this service has room for"
            message = f"The command was run, and its answer is left out: {why}."
            self.refuse(key, OverloadLimit(message))
        else:
            self._held += size if size > _LARGE else 0
            self._left -= size
            self._done[key] = reply

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def refuse(self, key: str, error: CallError) -> None:
        """Store the error of a command that was not run."""
        self.refused[key] = Refusal(error.code, error.description)

    def find(self, key: str) -> Any:
        """Return the decoded JSON result of a command; None if there is none."""
        if key not in self._read and key in self._done:
            self._read[key] = msgspec.json.decode(_body(self._done[key]))
        return self._read.get(key)

    def undone(self) -> "Results":
        """Return results that hold the refusals only, for a batch that was rolled back."""
        refusals = Results(self._most)
        refusals.refused = self.refused
        return refusals

    def as_maps(self) -> BatchResult:
        """Return the five maps."""
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


def _array(answers: dict[str, Any]) -> Any:
    """Turn a map whose keys count from 0 into a list, as `json_encode` in PHP does (C16)."""
    counted = all(key == str(place) for place, key in enumerate(answers))
    return list(answers.values()) if counted else answers

"""A world file: one JSON object with lists, read an item at a time."""

import json
import re
from array import array
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import msgspec

_PIECE = 1 << 18  # bytes
_LARGEST = 1 << 26  # bytes of an item
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_NO_JSON = (ValueError, RecursionError, msgspec.MsgspecError)


class WorldError(Exception):
    """A world file is wrong; the text begins with the path, e.g. `users[0].name: …`."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f"{path}: {text}")


class WorldFile:
    """The lists of a file that can be read again from any place: `counts` says how long each is.

    Only where each item begins is kept: a world may be larger than memory. The file is searched in
    pieces. Bytes are taken for characters: a place in the text is then one in the file, and the
    characters of JSON itself are the same. What is wrong within an item is found when it is read.
    """

    def __init__(self, file: BinaryIO) -> None:
        """Read it to its end once; raises `WorldError` for what is no object of lists."""
        self._file = file
        self._places: dict[str, array[int]] = {}  # by list: where each item begins and ends
        self._text = ""
        self._ends = 0  # where in the file the text ends
        self._at = 0  # where in the text the next value begins
        try:
            self._search()
        except _NO_JSON as error:
            raise WorldError("world file", f"is no JSON object: {error}") from error
        self.counts = {name: len(places) // 2 for name, places in self._places.items()}

    def items(self, name: str, which: Iterable[int]) -> Iterator[tuple[int, dict[str, Any], bytes]]:
        """Read items of a list: the index of each, what it says, and as it is written.

        Raises `WorldError`.
        """
        for index in which:
            start, end = self._places[name][2 * index : 2 * index + 2]
            try:
                written = self._read(start, end)
                item = msgspec.json.decode(written)
            except _NO_JSON as error:
                raise WorldError("world file", f"is no JSON object: {error}") from error
            if not isinstance(item, dict):
                raise WorldError(f"{name}[{index}]", "must be an object: {…}")
            yield index, item, written

    def _search(self) -> None:
        self._take("{")
        while not self._taken("}"):
            if self._places:
                self._take(",")
            name = msgspec.json.decode(self._read(*self._value()), type=str)
            self._take(":")
            self._places[name] = array("Q")
            if not self._taken("["):
                raise WorldError(name, "must be a list: […]")
            while not self._taken("]"):
                if self._places[name]:
                    self._take(",")
                self._places[name].extend(self._value())
        self._take("")

    def _read(self, start: int, end: int) -> bytes:
        self._file.seek(start)
        return self._file.read(end - start)

    def _taken(self, sign: str) -> bool:
        """Take a sign, if it is the next one; "" is the end of the file."""
        found = _SPACE.match(self._text, self._at)
        assert found is not None
        self._at = found.end()
        if self._at == len(self._text) and self._more():
            return self._taken(sign)
        following = self._text[self._at : self._at + 1]
        self._at += following == sign
        return following == sign

    def _take(self, sign: str) -> None:
        if not self._taken(sign):
            raise ValueError(f"byte {self._place()} should be '{sign}'")

    def _value(self) -> tuple[int, int]:
        self._taken("")  # at what follows the space
        while True:
            try:
                end = _DECODER.raw_decode(self._text, self._at)[1]
            except ValueError:
                if len(self._text) - self._at > _LARGEST or not self._more():
                    raise
            else:
                if end < len(self._text) or not self._more():  # a number may go on
                    break
        begun = self._place()
        self._at = end
        return begun, self._place()

    def _place(self) -> int:
        return self._ends - len(self._text) + self._at

    def _more(self) -> bool:
        """Read a further piece behind what was not taken: the longer that is, the more."""
        left = self._text[self._at :]
        self._file.seek(self._ends)
        came = self._file.read(max(_PIECE, len(left)))
        self._text, self._at = left + came.decode("latin-1"), 0
        self._ends += len(came)
        return bool(came)

"""A deadline: the moment by which all of a download is done, however little comes at a time."""

import time

from landyard_uploads.refusals import Reason, Refused


class Deadline:
    """So many seconds from now, by the clock on the wall."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left, more than none; raises `Refused` when there are none."""
        if self.passed:
            raise Refused(Reason.TIME)
        return self._end - time.monotonic()

    @property
    def passed(self) -> bool:
        return time.monotonic() >= self._end

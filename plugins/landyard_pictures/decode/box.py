"""The box that a picture is resized to fit, and the sizes that follow from it (U3)."""

from msgspec import Struct

LARGEST = 8192  # pixels of a side
_FIT, _EXACT = 0, 2

Size = tuple[int, int]
Region = tuple[float, float, float, float]


class Box(Struct, frozen=True):
    """A target size in pixels; `way` is 0 (fit), 1 (larger side) or 2 (exact)."""

    width: int
    height: int
    way: int

    def size(self, width: int, height: int) -> Size:
        """Return the size of the resized picture; only an exact box enlarges it."""
        if self.way == _EXACT:
            return self.width, self.height
        across, down = self.width / width, self.height / height
        if self.way == _FIT:
            scale = min(across, down, 1.0)
        else:
            scale = min(across if width >= height else down, 1.0)
        return max(1, int(width * scale + 0.5)), max(1, int(height * scale + 0.5))

    def region(self, width: int, height: int) -> Region:
        """Return the part of a picture that is kept: an exact box crops around the centre."""
        if self.way != _EXACT:
            return 0, 0, width, height
        scale = min(width / self.width, height / self.height)
        left = max(0.0, (width - self.width * scale) / 2)
        top = max(0.0, (height - self.height * scale) / 2)
        return left, top, width - left, height - top

    def lying(self) -> "Box":
        """Return the box for a picture stored turned by 90 degrees."""
        return Box(self.height, self.width, self.way)

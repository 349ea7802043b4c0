"""Addresses somebody may send, and what becomes of them in a link, a picture and a frame.

Placeholders as in `hostile_elements`; None is what is refused.
"""

from corpora import read_data

LINKS = read_data(__file__, "LINKS", dict[str, str | None])
MEDIA = read_data(__file__, "MEDIA", dict[str, str | None])
FRAMES = read_data(__file__, "FRAMES", dict[str, str | None])

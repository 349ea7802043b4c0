"""Addresses that callers may send, with the result in a link, a picture and a frame.

Placeholders as in `hostile_elements`; None stands for a refused address.
"""

from corpora import read_data

LINKS = read_data(__file__, "LINKS", dict[str, str | None])
MEDIA = read_data(__file__, "MEDIA", dict[str, str | None])
FRAMES = read_data(__file__, "FRAMES", dict[str, str | None])

"""File names that callers send, hostile and harmless."""

from corpora import read_data

from landyard_pictures.names import LONGEST

NAMES = {
    **read_data(__file__, "NAMES", dict[str, str]),
    "\ud800a.png": "a.png",  # half a surrogate pair cannot be sent in JSON
    "x" * 500 + ".png": "x" * (LONGEST - 4) + ".png",
    "x" * 115 + "....." + "y" * 50 + ".png": "x" * 115 + ".png",
    "a" * 300: "a" * (LONGEST - 4) + ".png",
    "\u0449" * 200: "shch" * 29 + ".png",
    "." * 500: "image.png",
    " " * 500 + ".png": "_" * (LONGEST - 4) + ".png",
    "a." * 300 + "png": ("a." * 58).rstrip(".") + ".png",
    "a" * 115 + "\u0449.png": "a" * 115 + "s.png",
}
"""The names that callers send, with the name under which a PNG is stored."""

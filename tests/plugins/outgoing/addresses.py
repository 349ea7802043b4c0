"""Addresses at the edges of every network of the table, and what they are for."""

from corpora import read_data

# The first, the last and one inside of each network.
SPECIAL = read_data(__file__, "SPECIAL", dict[str, list[str]])

# The neighbours of those networks, and some whom many know.
PUBLIC = read_data(__file__, "PUBLIC", list[str])

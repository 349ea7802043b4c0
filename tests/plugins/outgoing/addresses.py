"""Addresses at the edges of every special network, and the purpose of each."""

from corpora import read_data

# The first address, the last one, and one inside of each network.
SPECIAL = read_data(__file__, "SPECIAL", dict[str, list[str]])

# The neighbours of those networks, and some well-known addresses.
PUBLIC = read_data(__file__, "PUBLIC", list[str])

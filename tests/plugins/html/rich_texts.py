"""Rich texts as editors write them; the policy must leave them byte for byte (H1)."""

from corpora import read_data

RICH_TEXTS = read_data(__file__, "RICH_TEXTS", dict[str, str])

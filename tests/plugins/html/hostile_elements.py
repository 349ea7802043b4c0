"""Elements and attributes that act without a click, each named by the attack it attempts.

Written from the HTML standard's list of elements that run, load, submit or navigate. `RUN` is a
script that reports itself, `EVIL` an address of the attacker's, `NUMBER` the number of the text.
"""

from corpora import read_data

HANDLERS = read_data(__file__, "HANDLERS", dict[str, str])

SCRIPTS = read_data(__file__, "SCRIPTS", dict[str, str])

LOADING = read_data(__file__, "LOADING", dict[str, str])

ACTING = read_data(__file__, "ACTING", dict[str, str])
ELEMENTS = {**HANDLERS, **SCRIPTS, **LOADING, **ACTING}

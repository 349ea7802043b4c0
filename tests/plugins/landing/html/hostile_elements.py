"""Elements and attributes that act by themselves, each under what an attacker hopes from it.

Written from the HTML standard's own list of what runs, loads, submits or navigates. `RUN` is a
script that reports itself, `EVIL` an address of the attacker's, `NUMBER` the number of the text.
"""

from corpora import read_data

HANDLERS = read_data(__file__, "HANDLERS", dict[str, str])

SCRIPTS = read_data(__file__, "SCRIPTS", dict[str, str])

LOADING = read_data(__file__, "LOADING", dict[str, str])

ACTING = read_data(__file__, "ACTING", dict[str, str])
ELEMENTS = {**HANDLERS, **SCRIPTS, **LOADING, **ACTING}

"""The register of rules: every row of the contract and of the decisions that a test must prove.

A test cites the rules it proves by the names listed here:

    @pytest.mark.rule("B10", "landing.block.updatenodes data:link")
    @pytest.mark.rule("P4", *rows("landing.landing.update", "fields.CODE fields.SITE_ID"))

Names are those of the rows: `C5` (decisions), `landing.landing.move toFolderId` (a parameter),
`landing.landing.move FOLDER_NOT_FOUND` (a code), `landing.block.getlist result.meta` (an answer),
`state: delete` (a transition), `limit: resize` (a limit). `test_rules.py` reports rows without a
test.
"""

from corpora import read_data

# The decisions, with a title for each row.
DECISIONS = read_data(__file__, "DECISIONS", dict[str, str])

# Contract, section 4: the rows of the tables below each method, and 2.3 for the fields of `update`.
PARAMETERS = read_data(__file__, "PARAMETERS", dict[str, str])

# Contract, sections 2.1 and 2.2, and the line "Response" of each method.
ANSWERS = read_data(__file__, "ANSWERS", dict[str, str])

# Contract, section 7 (and the lists below each method in section 4), besides the codes of C13.
CODES = read_data(__file__, "CODES", dict[str, str])

# Rules shared by all methods, and sections 3 and 8.
REST = read_data(__file__, "REST", dict[str, str])


def rows(method: str, names: str) -> list[str]:
    """Name several rows of a method: `rows("landing.landing.move", "lid FOLDER_NOT_FOUND")`."""
    return [f"{method} {name}" for name in names.split()]


def _explained(table: dict[str, str], where: str) -> dict[str, str]:
    """The title of each row, by `<method> <row>`."""
    return {
        f"{method} {name}": where.format(row=name)
        for method, names in table.items()
        for name in names.split()
    }


RULES: dict[str, str] = {
    **{name: f"decisions {name}, {title}" for name, title in DECISIONS.items()},
    **_explained(PARAMETERS, "contract 4, parameter `{row}`"),
    **_explained(ANSWERS, "contract 4 and 2, answer `{row}`"),
    **_explained(CODES, "contract 7, code {row}"),
    **REST,
}

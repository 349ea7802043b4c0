"""The register of rules: every row of the contract and of the decisions that a test must prove.

A test cites what it proves, by the names that stand here:

    @pytest.mark.rule("B10", "landing.block.updatenodes data:link")
    @pytest.mark.rule("P4", *rows("landing.landing.update", "fields.CODE fields.SITE_ID"))

Names are those of the rows: `C5` (decisions), `landing.landing.move toFolderId` (a parameter),
`landing.landing.move FOLDER_NOT_FOUND` (a code), `landing.block.getlist result.meta` (an answer),
`state: delete` (a transition), `limit: resize` (a limit). `test_rules.py` says which lack a test.
"""

# decisions.md, a title for each row.
DECISIONS = {
    "C1": "the order of checks; a failed call leaves no trace",
    "C2": "method names in any case, `.json` and slashes as they come",
    "C3": "every form of a request; what cannot be read",
    "C4": "unknown parameters are ignored",
    "C5": "integers and ids",
    "C6": "booleans",
    "C7": "null, empty and the empty array",
    "C8": "MISSING_PARAMS names every absent parameter",
    "C9": "a wrong type, where TYPE_ERROR is listed and where it is not",
    "C10": "TYPE_ERROR names the parameter and what was expected",
    "C11": "only the codes of the contract; crashes without internals",
    "C12": "the object `time`",
    "C13": "system codes and their statuses",
    "C14": "X-Request-Id",
    "C15": "the order of credentials",
    "C16": "empty maps",
    "R1": "no access to the sites section",
    "R2": "what does not exist and what may not be seen are alike",
    "R3": "viewing without the method's right",
    "R4": "the rights behind DELETED and DATE_PUBLIC",
    "R5": "the internal scope",
    "R6": "a page in the trash",
    "R7": "the rights of `move`, in order",
    "B1": "draft and published blocks, and publication",
    "B2": "a published block's id, or one of another page",
    "B3": "order and paging of `getlist`",
    "B4": "published, draft and deleted-marked blocks",
    "B5": "the wrapper around `content`",
    "B6": "values of `meta`",
    "B7": "only selectors of the manifest act",
    "B8": "positions in selectors",
    "B9": "all of `data` or nothing; values of a wrong shape",
    "B10": "how each node type takes its value",
    "B11": "{attrs: …}, on elements and on components",
    "B12": "which attributes `updateattrs` sets, and to what",
    "B13": "removing cards",
    "B14": "history, and concurrent edits of one block",
    "B15": "the additional check",
    "B16": "menus",
    "B17": "unpublished and trashed pages keep their published blocks",
    "H1": "what is stored is inert; rich text survives",
    "H2": "one policy in one place; other bytes stay",
    "H3": "embeds",
    "H4": "headers of public pages and uploads",
    "P1": "addresses that are refused",
    "P2": "generated addresses",
    "P3": "an address that is taken",
    "P4": "`update` is all or nothing; its fields",
    "P5": "dates, and scalars as text",
    "P6": "`move` and folders; a main page that moves",
    "P7": "CANT_DELETE_MAIN only beside other pages",
    "P8": "`markDelete` twice, and restoring",
    "P9": "trash retention",
    "P10": "what `delete` removes; the lock",
    "P11": "public URLs, and what answers at them",
    "P12": "what `addByTemplate` makes",
    "U1": "kinds of pictures",
    "U2": "bytes stay without both sides",
    "U3": "ways to resize",
    "U4": "limits of a file and of its download",
    "U5": "addresses that are fetched",
    "U6": "names of files",
    "U7": "`src`, and temporary files",
    "methods": "which methods are listed",
}

# Contract, section 4: the rows of the tables below each method, and 2.3 for the fields of `update`.
PARAMETERS = {
    "landing.block.uploadfile": "block picture ext params params.width params.height"
    " params.resize_type temp scope",
    "landing.block.updatenodes": "lid block data data:@ data:text data:img data:link data:icon"
    " data:embed data:attrs data:component additional additional.appendMenu preventHistory scope",
    "landing.block.getlist": "lid params params.edit_mode params.deleted params.get_content start"
    " scope",
    "landing.block.updateattrs": "lid block data data:@ scope",
    "landing.block.removecard": "lid block selector preventHistory scope",
    "landing.landing.addByTemplate": "siteId code fields fields.TITLE fields.DESCRIPTION fields.ID"
    " fields.FOLDER_ID fields.SITE_TYPE fields.PREPARE_BLOCKS fields.PREPARE_BLOCKS_DATA"
    " fields.ADD_IN_MENU fields.BLOCK_ID fields.MENU_CODE scope",
    "landing.landing.update": "lid fields fields.TITLE fields.CODE fields.DESCRIPTION fields.XML_ID"
    " fields.SITE_ID fields.SITEMAP fields.FOLDER fields.FOLDER_ID fields.TPL_ID fields.DELETED"
    " fields.DATE_PUBLIC fields.ADDITIONAL_FIELDS",
    "landing.landing.move": "lid toSiteId toFolderId scope",
    "landing.landing.markDelete": "lid mark scope",
    "landing.landing.delete": "lid scope",
    "landing.landing.getpublicurl": "lid scope",
    "methods": "full scope",
}

# Contract, sections 2.1 and 2.2, and the line "Response" of each method.
ANSWERS = {
    "landing.block.uploadfile": "result.id result.src",
    "landing.block.updatenodes": "result",
    "landing.block.getlist": "result result.id result.lid result.code result.name result.active"
    " result.meta result.content result.css result.js",
    "landing.block.updateattrs": "result",
    "landing.block.removecard": "result",
    "landing.landing.addByTemplate": "result",
    "landing.landing.update": "result",
    "landing.landing.move": "result",
    "landing.landing.markDelete": "result",
    "landing.landing.delete": "result",
    "landing.landing.getpublicurl": "result",
    "methods": "result",
}

# Contract, section 7 (and the lists below each method in section 4), besides the codes of C13.
CODES = {
    "landing.block.uploadfile": "MISSING_PARAMS BLOCK_NOT_FOUND FILE_ERROR",
    "landing.block.updatenodes": "MISSING_PARAMS TYPE_ERROR LANDING_NOT_EXIST BLOCK_NOT_FOUND"
    " ACCESS_DENIED NODES_NOT_FOUND INCORRECT_AFFECTED",
    "landing.block.getlist": "MISSING_PARAMS LANDING_NOT_EXIST ACCESS_DENIED TYPE_ERROR"
    " SYSTEM_ERROR",
    "landing.block.updateattrs": "MISSING_PARAMS ACCESS_DENIED LANDING_NOT_EXIST BLOCK_NOT_FOUND",
    "landing.block.removecard": "MISSING_PARAMS LANDING_NOT_EXIST ACCESS_DENIED BLOCK_NOT_FOUND"
    " CARD_NOT_FOUND",
    "landing.landing.addByTemplate": "MISSING_PARAMS SITE_ERROR LANDING_ERROR ACCESS_DENIED"
    " FOLDER_NOT_FOUND WRONG_DATA SLASH_IS_NOT_ALLOWED CANT_BE_EMPTY WRONG_CODE_FORMAT",
    "landing.landing.update": "MISSING_PARAMS ACCESS_DENIED SITE_NOT_FOUND FOLDER_NOT_FOUND"
    " SLASH_IS_NOT_ALLOWED CANT_BE_EMPTY WRONG_CODE_FORMAT CANT_DELETE_MAIN TYPE_ERROR"
    " SYSTEM_ERROR",
    "landing.landing.move": "MISSING_PARAMS LANDING_NOT_EXIST ACCESS_DENIED DELETE_ACCESS_DENIED"
    " FOLDER_NOT_FOUND TYPE_ERROR SYSTEM_ERROR",
    "landing.landing.markDelete": "MISSING_PARAMS ACCESS_DENIED CANT_DELETE_MAIN"
    " UNABLE_DELETE_INCLUDE TYPE_ERROR SYSTEM_ERROR",
    "landing.landing.delete": "MISSING_PARAMS LANDING_NOT_EXIST ACCESS_DENIED LANDING_IS_LOCK"
    " TYPE_ERROR SYSTEM_ERROR",
    "landing.landing.getpublicurl": "MISSING_PARAMS LANDING_NOT_EXIST ACCESS_DENIED TYPE_ERROR"
    " SYSTEM_ERROR",
    "methods": "",
}

# What belongs to every method alike, and sections 3 and 8.
REST = {
    "call: result and time": "contract 4.0, the answer of a success",
    "call: time": "contract 4.0, the object `time`",
    "call: error": "contract 7, the answer of a failure",
    "call: path of a webhook": "contract 4.0 and 5",
    "call: path of a token": "contract 4.0 and 5, the token in the body field `auth`",
    "call: path of methods": "contract 4.12, without `.json`",
    "call: permission scope": "contract 5, `landing` and the basic scope",
    "state: addByTemplate": "contract 3, a new page is inactive, or published with its parent",
    "state: markDelete true": "contract 3, into the trash and unpublished",
    "state: markDelete false": "contract 3, restored",
    "state: update DELETED=Y": "contract 3, into the trash and inactive",
    "state: update DELETED=N": "contract 3, restored and inactive",
    "state: delete": "contract 3, permanently removed",
    "state: move": "contract 3, the same page elsewhere",
    "state: draft edit": "contract 3, visible after republication",
    "limit: records per call": "contract 8, 50 blocks in an answer of `getlist`",
    "limit: trash retention": "contract 8, 30 days, then removed",
    "limit: resize": "contract 8, both sides given, raster images",
    "limit: index base": "contract 8, positions start at 0",
}


def rows(method: str, names: str) -> list[str]:
    """Name several rows of a method: `rows("landing.landing.move", "lid FOLDER_NOT_FOUND")`."""
    return [f"{method} {name}" for name in names.split()]


def _explained(table: dict[str, str], where: str) -> dict[str, str]:
    """Name each row `<method> <row>`."""
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

"""What can go wrong with pages as a whole, in the contract's codes (section 7)."""

from landyard import CallError


class CantDeleteMain(CallError):
    code = "CANT_DELETE_MAIN"
    text = (
        "This is the main page of its site. While the site has other pages it cannot be deleted:"
        " delete those first, or give the site another main page."
    )

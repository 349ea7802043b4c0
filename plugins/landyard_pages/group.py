"""The method group of this plugin, and the error `CANT_DELETE_MAIN`."""

from landyard import CallError, MethodGroup

page_methods = MethodGroup(scope="landing")


class CantDeleteMain(CallError):
    code = "CANT_DELETE_MAIN"
    text = (
        "This is the main page of its site. While the site has other pages it cannot be deleted:"
        " delete those first, or give the site another main page."
    )

"""The method `methods`: the names of methods that are on (contract 4.12, decisions 7)."""

from msgspec import Struct

from landyard import Call, Example, MethodGroup

legacy = MethodGroup()


class Methods(Struct, frozen=True):
    """Without parameters: the methods that the credential may call, and the general ones."""

    full: bool = False
    scope: str | None = None


_EVERYTHING_BUILT_IN = Example(
    {"scope": "landing"},
    result=[
        "landing.block.addcard",
        "landing.block.changeAnchor",
        "landing.block.changeNodeName",
        "landing.block.clonecard",
        "landing.block.getContentFromRepository",
        "landing.block.getbyid",
        "landing.block.getcontent",
        "landing.block.getlist",
        "landing.block.getmanifest",
        "landing.block.getmanifestfile",
        "landing.block.getrepository",
        "landing.block.removecard",
        "landing.block.updateCards",
        "landing.block.updateStyles",
        "landing.block.updateattrs",
        "landing.block.updatecontent",
        "landing.block.updatenodes",
        "landing.block.uploadfile",
        "landing.demos.getList",
        "landing.demos.getPageList",
        "landing.demos.getSiteList",
        "landing.demos.register",
        "landing.demos.unregister",
        "landing.landing.add",
        "landing.landing.addByTemplate",
        "landing.landing.addblock",
        "landing.landing.copy",
        "landing.landing.copyblock",
        "landing.landing.delete",
        "landing.landing.deleteblock",
        "landing.landing.downblock",
        "landing.landing.favoriteBlock",
        "landing.landing.getList",
        "landing.landing.getadditionalfields",
        "landing.landing.getpreview",
        "landing.landing.getpublicurl",
        "landing.landing.hideblock",
        "landing.landing.history.getList",
        "landing.landing.history.redo",
        "landing.landing.history.undo",
        "landing.landing.markDelete",
        "landing.landing.markUnDelete",
        "landing.landing.markdeletedblock",
        "landing.landing.markundeletedblock",
        "landing.landing.move",
        "landing.landing.moveblock",
        "landing.landing.publication",
        "landing.landing.removeEntities",
        "landing.landing.resolveIdByPublicUrl",
        "landing.landing.showblock",
        "landing.landing.unFavoriteBlock",
        "landing.landing.unpublic",
        "landing.landing.upblock",
        "landing.landing.update",
        "landing.repo.checkContent",
        "landing.repo.getList",
        "landing.repo.register",
        "landing.repo.unbind",
        "landing.repo.unregister",
        "landing.repowidget.debug",
        "landing.repowidget.getlist",
        "landing.repowidget.register",
        "landing.repowidget.unregister",
        "landing.role.enable",
        "landing.role.getList",
        "landing.role.getRights",
        "landing.role.isEnabled",
        "landing.role.setAccessCodes",
        "landing.role.setRights",
        "landing.site.add",
        "landing.site.addFolder",
        "landing.site.bindingToGroup",
        "landing.site.bindingToMenu",
        "landing.site.delete",
        "landing.site.fullExport",
        "landing.site.getFolders",
        "landing.site.getGroupBindings",
        "landing.site.getList",
        "landing.site.getMenuBindings",
        "landing.site.getPreview",
        "landing.site.getPublicUrl",
        "landing.site.getRights",
        "landing.site.getadditionalfields",
        "landing.site.markDelete",
        "landing.site.markFolderDelete",
        "landing.site.markFolderUnDelete",
        "landing.site.markUnDelete",
        "landing.site.publication",
        "landing.site.publicationFolder",
        "landing.site.setRights",
        "landing.site.unPublicFolder",
        "landing.site.unbindingFromGroup",
        "landing.site.unbindingFromMenu",
        "landing.site.unpublic",
        "landing.site.update",
        "landing.site.updateFolder",
        "landing.syspage.deleteForLanding",
        "landing.syspage.deleteForSite",
        "landing.syspage.get",
        "landing.syspage.getSpecialPage",
        "landing.syspage.set",
        "landing.template.getLandingRef",
        "landing.template.getSiteRef",
        "landing.template.getlist",
        "landing.template.setLandingRef",
        "landing.template.setSiteRef",
        "landyard.draft.links",
        "landyard.draft.share",
        "landyard.draft.unshare",
        "landyard.file.list",
        "landyard.form.export",
        "landyard.form.file",
        "landyard.form.list",
        "landyard.form.pages",
        "landyard.form.recipients",
        "landyard.form.remove",
        "landyard.form.submissions",
        "landyard.page.authors",
        "landyard.page.links",
        "landyard.picture.list",
        "landyard.picture.update",
        "landyard.redirect.add",
        "landyard.redirect.list",
        "landyard.redirect.remove",
        "landyard.site.fromtemplate",
        "landyard.site.mayadd",
        "landyard.template.preview",
        "landyard.theme.get",
        "landyard.theme.list",
        "landyard.theme.set",
        "landyard.theme.tokens",
    ],
)


@legacy.method("methods", quick=True, example=_EVERYTHING_BUILT_IN)
def methods(call: Call, params: Methods) -> list[str]:
    """List the names of the methods that are on, sorted.

    Without parameters: those whose scope the credential holds, and the general ones. With `full`
    all of them; with `scope` those of that scope, and with an empty `scope` the general ones.
    Deprecated: kept for clients that still call it.
    """
    if params.full:
        return call.listing.everything()
    if params.scope is not None:
        by_name = {name: call.listing.find(name) for name in call.listing.everything()}
        return [name for name, method in by_name.items() if method and method.scope == params.scope]
    return call.listing.available(call.actor)

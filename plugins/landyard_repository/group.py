"""The method group of this plugin, and its errors."""

from landyard import Bounds, CallError, MethodGroup

# A block may hold a long page, and its manifest the presets of its cards.
repository = MethodGroup(scope="landing", bounds=Bounds(size=8 * 1024 * 1024))


class RequiredFieldNoExists(CallError):
    code = "REQUIRED_FIELD_NO_EXISTS"
    text = "A required field is missing."


class ManifestIntersectImg(CallError):
    code = "MANIFEST_INTERSECT_IMG"
    text = "An editable element must not have a style type for a picture."


class PresetContentIsBad(CallError):
    code = "PRESET_CONTENT_IS_BAD"
    text = "A preset of a card has dangerous HTML; landing.repo.checkContent shows where."


class UnsupportedBlockType(CallError):
    code = "UNSUPPORTED_BLOCK_TYPE"
    text = "Blocks for main pages are widgets: register them by landing.repowidget.register."


class UnsupportedBlockSubtype(CallError):
    code = "UNSUPPORTED_BLOCK_SUBTYPE"
    text = "A block's subtype must not be 'widget': use landing.repowidget.register for widgets."

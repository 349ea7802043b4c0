"""Pages, blocks, rights, files and public delivery: what plugins that require `landing` import."""

from landyard_landing.arguments import (
    AnyMap,
    AnyText,
    ErrorArgument,
    as_arguments,
    map_argument,
    text_argument,
)
from landyard_landing.blocks.blocktypes import (
    BlockType,
    find_type,
    find_types,
    list_types,
    read_types,
)
from landyard_landing.blocks.changes import (
    BlockParts,
    add_block,
    carry_block,
    change_block,
    find_block,
    hold_block,
    move_block,
    remove_block,
)
from landyard_landing.blocks.copying import copy_page
from landyard_landing.blocks.creation import CreatedPage, Overrides, create_page
from landyard_landing.blocks.drafts import (
    ListedBlock,
    count_blocks,
    list_blocks,
    open_draft,
    safe_content,
    save_draft,
    stored_draft,
)
from landyard_landing.blocks.filling import fill_site
from landyard_landing.blocks.folders import read_block_types
from landyard_landing.blocks.history import (
    Edit,
    HistoryConflict,
    authors_of,
    count_edits,
    recent_edits,
    redo,
    undo,
)
from landyard_landing.blocks.history_details import EditDetails, details_of
from landyard_landing.blocks.listing import BlockItem, list_block, with_revisions
from landyard_landing.blocks.menu_entries import add_to_main_menu, add_to_menu
from landyard_landing.blocks.merging import GONE, require_place, require_unchanged
from landyard_landing.blocks.order import Ordered, hold_editable, hold_order, index_of
from landyard_landing.blocks.publication import open_folders, publish, unpublish
from landyard_landing.blocks.registration import (
    NewBlockType,
    drafts_of_type,
    forget_type,
    is_stored_type,
    store_type,
)
from landyard_landing.blocks.revisions import Revision, RevisionConflict, read_revisions
from landyard_landing.blocks.seen import SeenBlock, see_block, see_listed
from landyard_landing.blocks.settings import BlockSettings
from landyard_landing.blocks.sizes import clean_sent, require_answer, require_block
from landyard_landing.blocks.standing import read_standing
from landyard_landing.blocks.templates import (
    PageTemplate,
    SiteTemplate,
    TemplateBlock,
    find_site_and_template,
    find_template,
    forget_template,
    list_templates,
    store_template,
)
from landyard_landing.blocks.whole_html import rules_for, rules_of
from landyard_landing.blocks.wrapping import wrap_draft, wrap_public
from landyard_landing.declarations import (  # noqa: F401  # pluggy finds them here
    register_commands,
    register_demo,
    register_failure_style,
    register_jobs,
    register_methods,
    register_routes,
    register_settings,
    register_tables,
    register_world,
)
from landyard_landing.demo import DemoNote
from landyard_landing.errors import (
    AccessDenied,
    BlockNotFound,
    CantBeEmpty,
    CardNotFound,
    ContentIsBad,
    EmptyRequired,
    FeatureNotAvail,
    FolderNotFound,
    IncorrectAffected,
    IsNotAdmin,
    LandingNotExist,
    NodesNotFound,
    SiteNotFound,
    SlashIsNotAllowed,
    WrongCodeFormat,
)
from landyard_landing.events import (
    BlockEdited,
    PageChanged,
    PageCreated,
    PageDeleted,
    PageEvent,
    PageMoved,
    PagePublished,
    PageRestored,
    PageTrashed,
    PageUnpublished,
    announce,
)
from landyard_landing.exchange.blocks import filled_block
from landyard_landing.exchange.writing import OWN, ExportOptions, write_export
from landyard_landing.files.freeing import free_files, keep_files, let_go
from landyard_landing.files.pictures import find_picture
from landyard_landing.files.records import file_store, hold_files, remove_temporary, use_files_of
from landyard_landing.files.saving import KeptFile, NewFile, find_target, save_file
from landyard_landing.files.seen import is_page_of, sites_seen
from landyard_landing.files.uses import shows_files, uses_of
from landyard_landing.html.attributes import HOSTED, update_attributes
from landyard_landing.html.cards import add_card, arrange_cards, remove_card
from landyard_landing.html.dangers import find_dangers, split_at
from landyard_landing.html.differences import Difference
from landyard_landing.html.embeds import without_refused
from landyard_landing.html.icons import ICON_NAMES
from landyard_landing.html.manifests import NODE_TYPES, told
from landyard_landing.html.node_types import NodeElement, NodeType
from landyard_landing.html.nodes import Edited, update_nodes
from landyard_landing.html.policy import POLICY_VERSION, clean_block
from landyard_landing.html.renaming import rename_nodes
from landyard_landing.html.restyling import restyle
from landyard_landing.html.selectors import wrong_selectors
from landyard_landing.html.sizes import TooLarge
from landyard_landing.html.told_addresses import safe_addresses
from landyard_landing.html.values import Rules, WrongValue
from landyard_landing.lengths import total_length
from landyard_landing.public.cache import Cache
from landyard_landing.public.delivered import page_headers
from landyard_landing.public.delivery import public_version
from landyard_landing.public.forwarding import Forwarding, Lost
from landyard_landing.public.frames import FRAMES
from landyard_landing.public.page_writers import PageWriter
from landyard_landing.public.previews import previews, site_preview
from landyard_landing.public.published import PublishedBlock, published_block
from landyard_landing.public.rendering import draft_page, published_page
from landyard_landing.public.showing import fold_menu
from landyard_landing.public.template_previews import preview_template
from landyard_landing.public.welcome import Welcome
from landyard_landing.public.words import nearest, read_words
from landyard_landing.refusals import PUBLICATION_REFUSALS
from landyard_landing.signature import changed_by
from landyard_landing.site_events import (
    FolderChanged,
    FolderCreated,
    FolderDeleted,
    FolderEvent,
    FolderPublished,
    FolderRestored,
    FolderTrashed,
    FolderUnpublished,
    SiteChanged,
    SiteCreated,
    SiteDeleted,
    SiteEvent,
    SitePublished,
    SiteRestored,
    SiteTrashed,
    SiteUnpublished,
    announce_site,
)
from landyard_landing.site_tables import AREA, ROLE_DEFAULT, ROLE_RIGHT, SPECIAL_PAGE
from landyard_landing.sites.additional import (
    filled_additional,
    merge_additional,
    read_additional,
)
from landyard_landing.sites.areas import mark_areas
from landyard_landing.sites.codes import (
    LockedSite,
    free_code,
    generate_code,
    in_trash,
    is_taken,
    require_code,
)
from landyard_landing.sites.dates import read_moment
from landyard_landing.sites.erasing import erase_pages
from landyard_landing.sites.holders import (
    is_site,
    read_rights,
    rights_of_user,
    users_of_codes,
    wire_rights,
)
from landyard_landing.sites.hosts import OwnHost, plain_host, stored_host
from landyard_landing.sites.languages import USUAL_LANGUAGE, require_language
from landyard_landing.sites.links import LinkingPage, pages_linking_to
from landyard_landing.sites.naming import hold_named
from landyard_landing.sites.page_list import list_pages
from landyard_landing.sites.page_revisions import read_page_revisions, require_same_fields
from landyard_landing.sites.pages import (
    OPEN_TYPES,
    Right,
    SeenPage,
    find_page,
    find_pages,
    require_access,
    viewed,
    viewing,
    visible,
)
from landyard_landing.sites.places import (
    HeldPage,
    Place,
    hold_page,
    put_page,
    read_additional_fields,
    save_page,
)
from landyard_landing.sites.quotas import require_room
from landyard_landing.sites.selection import Row, Selecting, Selection
from landyard_landing.sites.sites import (
    DOMAIN_ID,
    SeenSite,
    find_element,
    find_site,
    has_folder,
    is_needed_main,
)
from landyard_landing.sites.template_texts import read_shown_texts
from landyard_landing.sites.translations import read_original
from landyard_landing.sites.trash import restore_page, trash_page
from landyard_landing.sites.turns import take_turn
from landyard_landing.sites.urls import (
    RESERVED,
    address_of,
    find_address,
    is_own_host,
    own_hosts,
    page_of,
)
from landyard_landing.spreadsheets import csv_file, write_csv
from landyard_landing.tables import ACCESS, FILE, FOLDER, PAGE, RIGHT, SITE
from landyard_landing.themes.folders import read_themes
from landyard_landing.themes.harbour import themes_with
from landyard_landing.themes.looks import FAVICON, LOGO, SOCIAL
from landyard_landing.themes.theme import Theme, faults_of
from landyard_landing.themes.tokens import NAMES, Token, token_of
from landyard_landing.undoing import may_undo
from landyard_landing.world.checks import SITE_TYPES, is_host, is_segment

__all__ = ["ACCESS", "AREA", "DOMAIN_ID", "FOLDER", "FRAMES", "HOSTED", "ICON_NAMES", "NODE_TYPES"]
__all__ += ["OPEN_TYPES", "OWN", "PAGE"]
__all__ += ["POLICY_VERSION", "PUBLICATION_REFUSALS", "RESERVED", "RIGHT", "ROLE_DEFAULT"]
__all__ += ["ROLE_RIGHT", "SITE", "SITE_TYPES", "SPECIAL_PAGE", "USUAL_LANGUAGE", "AccessDenied"]
__all__ += ["AnyMap", "AnyText", "BlockEdited", "BlockItem", "BlockNotFound", "BlockParts"]
__all__ += ["BlockSettings", "BlockType", "CantBeEmpty", "CardNotFound", "ContentIsBad"]
__all__ += [
    "CreatedPage",
    "DemoNote",
    "Edit",
    "Edited",
    "EmptyRequired",
    "ErrorArgument",
    "ExportOptions",
]
__all__ += ["FILE", "Forwarding", "Lost", "PageWriter"]
__all__ += ["FeatureNotAvail", "FolderChanged", "FolderCreated", "FolderDeleted", "FolderEvent"]
__all__ += ["FolderNotFound", "FolderPublished", "FolderRestored", "FolderTrashed"]
__all__ += ["FolderUnpublished", "HeldPage", "HistoryConflict", "IncorrectAffected", "IsNotAdmin"]
__all__ += ["LinkingPage", "pages_linking_to"]
__all__ += ["KeptFile", "LandingNotExist", "ListedBlock", "LockedSite", "NewBlockType", "NewFile"]
__all__ += ["NodeElement"]
__all__ += ["NodeType", "NodesNotFound", "Ordered", "Overrides", "PageChanged", "PageCreated"]
__all__ += ["PageDeleted", "PageEvent", "PageMoved", "PagePublished", "PageRestored"]
__all__ += ["PageTemplate", "PageTrashed", "PageUnpublished", "Place", "PublishedBlock", "Right"]
__all__ += ["Row", "Rules", "SeenBlock", "SeenPage", "SeenSite", "Selecting", "Selection"]
__all__ += ["SiteChanged", "SiteCreated", "SiteDeleted", "SiteEvent", "SiteNotFound"]
__all__ += ["SitePublished", "SiteRestored", "SiteTemplate", "SiteTrashed", "SiteUnpublished"]
__all__ += ["SlashIsNotAllowed", "TemplateBlock", "WrongCodeFormat", "WrongValue", "add_block"]
__all__ += ["add_card"]
__all__ += ["add_to_main_menu", "add_to_menu", "address_of", "announce", "announce_site"]
__all__ += ["authors_of"]
__all__ += ["arrange_cards", "as_arguments", "carry_block", "change_block", "changed_by"]
__all__ += ["clean_block", "copy_page", "count_blocks", "count_edits", "create_page"]
__all__ += ["drafts_of_type", "erase_pages", "file_store", "fill_site", "filled_block"]
__all__ += ["Cache", "csv_file", "find_address", "hold_named", "public_version", "write_csv"]
__all__ += ["find_block", "find_element", "find_page", "find_pages", "find_site", "find_target"]
__all__ += [
    "find_site_and_template",
    "find_template",
    "find_type",
    "find_types",
    "fold_menu",
    "forget_template",
    "forget_type",
]
__all__ += ["free_files", "generate_code", "has_folder", "hold_block", "hold_editable"]
__all__ += ["hold_files", "hold_order", "hold_page", "index_of", "is_host", "is_needed_main"]
__all__ += [
    "OwnHost",
    "is_own_host",
    "plain_host",
    "rights_of_user",
    "rules_for",
    "without_refused",
]
__all__ += ["rules_of"]
__all__ += ["is_site"]
__all__ += ["safe_addresses"]
__all__ += ["is_segment"]
__all__ += ["stored_host", "total_length"]
__all__ += ["is_stored_type", "is_taken", "keep_files", "let_go", "list_block", "list_blocks"]
__all__ += ["list_pages", "list_templates", "list_types", "map_argument", "mark_areas"]
__all__ += ["move_block", "nearest", "open_draft", "open_folders", "own_hosts"]
__all__ += ["Difference", "EditDetails", "details_of", "draft_page"]
__all__ += ["page_headers", "page_of", "preview_template", "previews", "publish", "published_block"]
__all__ += ["published_page", "put_page"]
__all__ += ["free_code", "in_trash"]
__all__ += ["filled_additional", "merge_additional", "read_additional"]
__all__ += ["read_additional_fields", "read_block_types", "read_moment", "read_original"]
__all__ += ["read_rights", "read_shown_texts", "read_standing", "read_types", "read_words"]
__all__ += ["recent_edits"]
__all__ += ["GONE", "Revision", "RevisionConflict", "read_revisions", "redo", "require_place"]
__all__ += ["read_page_revisions", "require_same_fields", "require_unchanged", "with_revisions"]
__all__ += ["remove_block", "remove_card", "remove_temporary", "rename_nodes", "require_access"]
__all__ += ["require_code", "require_language", "require_room", "restore_page", "restyle"]
__all__ += ["safe_content", "save_draft", "save_file", "save_page", "see_block", "see_listed"]
__all__ += [
    "find_dangers",
    "shows_files",
    "site_preview",
    "split_at",
    "store_template",
    "store_type",
]
__all__ += [
    "TooLarge",
    "clean_sent",
    "require_answer",
    "require_block",
    "stored_draft",
    "wrong_selectors",
]
__all__ += ["take_turn", "text_argument", "told", "trash_page", "undo", "unpublish"]
__all__ += ["update_attributes", "update_nodes", "use_files_of", "users_of_codes", "uses_of"]
__all__ += ["is_page_of", "sites_seen", "viewed"]
__all__ += [
    "Welcome",
    "viewing",
    "visible",
    "wire_rights",
    "wrap_draft",
    "wrap_public",
    "write_export",
]
__all__ += ["FAVICON", "LOGO", "NAMES", "SOCIAL", "Theme", "Token", "faults_of", "find_picture"]
__all__ += ["may_undo", "read_themes", "themes_with", "token_of"]

"""The HTML of a form for visitors; all texts sent by a visitor are escaped."""

from collections.abc import Mapping
from html import escape

from msgspec import Struct

from landyard_forms.attachments import extensions_of, kinds_of
from landyard_forms.fields import LONGEST, SHEET, Field, Form, form_of
from landyard_forms.words import Words, in_words_of, words_of
from landyard_landing import languages

PLACE = "/-/forms"
"""The address below which the routes of forms are."""

_INPUTS = {"text": "text", "mail": "email", "phone": "tel", "date": "date"}
_FILLS = {"mail": "email", "phone": "tel"}


class State(Struct, frozen=True):
    """The state of a form after sending: the values, and the error texts by field.

    `again` is a token that marks a repeated sending; `thanks` replaces the form by thanks.
    """

    values: Mapping[str, str] = {}
    wrong: Mapping[str, str] = {}
    consent: bool = False
    again: str = ""
    thanks: bool = False


FRESH = State()
"""The state of an unsent form, the same for all visitors."""


def message_id(block_id: int) -> str:
    """Return the id of the message that replaces a form.

    It is the usual id of a block without an anchor.
    """
    return f"b{block_id}"


def show_form(block_id: int, content: str, language: str, state: State = FRESH) -> str:
    """Return a published block's HTML with a working form in place of its drawing."""
    from turbohtml import parse_fragment  # imported late: only forms need the parser

    root = parse_fragment(in_words_of(language, content))
    sheet = root.select_one(SHEET)
    if sheet is None:
        return content
    form, words = form_of(sheet), words_of(language)
    if (
        sheet.attr("aria-label") == words_of(languages.USUAL_LANGUAGE).label
    ):  # the block's initial text
        sheet.attrs["aria-label"] = words.label
    if state.thanks:
        thanks = form.thanks or escape(words.thanks)
        # The browser scrolls to this id and focuses it: see `message_id`.
        attributes = f'id="{message_id(block_id)}" class="forms-done" role="status" tabindex="-1"'
        sheet.set_inner_html(f"<div {attributes}>{thanks}</div>")
    else:
        sheet.set_inner_html(_form(block_id, form, state, words))
    return root.inner_html


def _form(block_id: int, form: Form, state: State, words: Words) -> str:
    message = state.wrong.get("", "")
    if not message and state.wrong:
        message = words.see_below
    # The message scrolls into view and gets the focus, without a script.
    attributes = 'class="forms-told" role="alert" tabindex="-1" autofocus'
    parts = [f"<p {attributes}>{escape(message)}</p>"] if message else []
    parts += [_field(f"f{block_id}-{field.name}", field, state, words) for field in form.fields]
    if form.consent:
        parts.append(_consent(f"f{block_id}-consent", form, state))
    parts.append(_guarding(state, words))
    button = f'<button class="ly-button" type="submit">{escape(form.button or words.send)}</button>'
    parts.append(f'<p class="ly-actions">{button}</p>')
    inside = "\n".join(parts)
    action = f"{PLACE}?form={block_id}"
    files = ' enctype="multipart/form-data"' * form.has_files
    return f'<form class="forms-form" method="post" action="{action}"{files}>\n{inside}\n</form>'


def _field(place: str, field: Field, state: State, words: Words) -> str:
    value, wrong = state.values.get(field.name, ""), state.wrong.get(field.name, "")
    hint = field.hint
    if field.type == "file":
        kinds = words.kinds.replace("{kinds}", ", ".join(kinds_of(field)))
        hint = f"{hint} {kinds}" if hint else kinds
    described = [f"{place}-hint"] * bool(hint) + [f"{place}-wrong"] * bool(wrong)
    attributes = f' id="{place}" name="{field.name}"' + " required" * field.required
    if described:
        attributes += f' aria-describedby="{" ".join(described)}"'
    if wrong:
        attributes += ' aria-invalid="true"'
    label = escape(field.label)
    parts = [f'<label class="forms-label" for="{place}">{label}</label>']
    if hint:
        parts.append(f'<span class="ly-caption" id="{place}-hint">{escape(hint)}</span>')
    parts.append(_control(field, attributes, value, words))
    if wrong:
        parts.append(_error(f"{place}-wrong", wrong))
    return f'<div class="forms-field">{"".join(parts)}</div>'


def _control(field: Field, attributes: str, value: str, words: Words) -> str:
    longest = f' maxlength="{LONGEST[field.type]}"'
    if field.type == "long":
        # HTML drops a line break after the tag, so this one keeps a break at the text's start.
        return f'<textarea{attributes}{longest} rows="6">\n{escape(value)}</textarea>'
    if field.type == "choice":
        options = "".join(
            f'<option{" selected" * (each == value)} value="{escape(each)}">{escape(each)}</option>'
            for each in field.options
        )
        options = f'<option value="">{escape(words.choose)}</option>{options}'
        return f"<select{attributes}>{options}</select>"
    if field.type == "file":
        return f'<input type="file"{attributes} accept="{extensions_of(field)}">'
    fills = f' autocomplete="{_FILLS[field.type]}"' if field.type in _FILLS else ""
    bound = "" if field.type == "date" else longest
    kind = _INPUTS[field.type]
    return f'<input type="{kind}"{attributes}{bound}{fills} value="{escape(value)}">'


def _consent(place: str, form: Form, state: State) -> str:
    wrong = state.wrong.get("consent", "")
    attributes = " checked" * state.consent
    if wrong:
        attributes += f' aria-invalid="true" aria-describedby="{place}-wrong"'
    box = f'<input type="checkbox" id="{place}" name="consent" value="Y" required{attributes}>'
    label = f'<label for="{place}">{form.consent}</label>'
    return f'<div class="forms-agree">{box}{label}</div>' + (
        _error(f"{place}-wrong", wrong) if wrong else ""
    )


def _guarding(state: State, words: Words) -> str:
    """Return the invisible part of a form: see the module `spam_guard`."""
    if state.again:
        return f'<input type="hidden" name="again" value="{escape(state.again)}">'
    return (
        f'<div class="forms-extra" aria-hidden="true"><label>{escape(words.leave_empty)}'
        ' <input name="homepage" tabindex="-1" autocomplete="off"></label></div>'
        f'<img class="forms-seen" src="{PLACE}/seen.svg" alt="" width="1" height="1"'
        ' loading="lazy">'
    )


def _error(place: str, text: str) -> str:
    return f'<p class="forms-error" id="{place}">{escape(text)}</p>'

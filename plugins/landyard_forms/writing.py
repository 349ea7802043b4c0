"""Writes a form as visitors get it; every text that a visitor sent is escaped on the way."""

from collections.abc import Mapping
from html import escape

from msgspec import Struct

from landyard_forms.attachments import extensions_of, kinds_of
from landyard_forms.fields import LONGEST, SHEET, Field, Form, form_of
from landyard_forms.words import Words, in_words_of, words_of
from landyard_landing import USUAL_LANGUAGE

PLACE = "/-/forms"
"""Below it are the addresses of forms."""

_INPUTS = {"text": "text", "mail": "email", "phone": "tel", "date": "date"}
_FILLS = {"mail": "email", "phone": "tel"}


class State(Struct, frozen=True):
    """What a form says to a visitor who has sent it: what was written, and what is wrong with it.

    `again` is what its next sending is known by; `thanks` in place of the form.
    """

    values: Mapping[str, str] = {}
    wrong: Mapping[str, str] = {}
    consent: bool = False
    again: str = ""
    thanks: bool = False


FRESH = State()
"""The state of a form on a page: the same for every visitor."""


def message_id(block_id: int) -> str:
    """Name the message that takes the place of a form.

    A block without an anchor of its own has this id on its page.
    """
    return f"b{block_id}"


def show_form(block_id: int, content: str, language: str, state: State = FRESH) -> str:
    """Write a published block with a form in place of the drawn one."""
    from turbohtml import parse_fragment  # who has no form needs no parser

    root = parse_fragment(in_words_of(language, content))
    sheet = root.select_one(SHEET)
    if sheet is None:
        return content
    form, words = form_of(sheet), words_of(language)
    if sheet.attr("aria-label") == words_of(USUAL_LANGUAGE).label:  # as the block comes
        sheet.attrs["aria-label"] = words.label
    if state.thanks:
        thanks = form.thanks or escape(words.thanks)
        # Under this id the browser finds it, and puts the focus on it: see `message_id`.
        said = f'id="{message_id(block_id)}" class="forms-done" role="status" tabindex="-1"'
        sheet.set_inner_html(f"<div {said}>{thanks}</div>")
    else:
        sheet.set_inner_html(_form(block_id, form, state, words))
    return root.inner_html


def _form(block_id: int, form: Form, state: State, words: Words) -> str:
    told = state.wrong.get("", "")
    if not told and state.wrong:
        told = words.see_below
    # It comes into view and has the focus, without a script as well.
    said = 'class="forms-told" role="alert" tabindex="-1" autofocus'
    parts = [f"<p {said}>{escape(told)}</p>"] if told else []
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
    given = f' id="{place}" name="{field.name}"' + " required" * field.required
    if described:
        given += f' aria-describedby="{" ".join(described)}"'
    if wrong:
        given += ' aria-invalid="true"'
    label = escape(field.label)
    parts = [f'<label class="forms-label" for="{place}">{label}</label>']
    if hint:
        parts.append(f'<span class="ly-caption" id="{place}-hint">{escape(hint)}</span>')
    parts.append(_control(field, given, value, words))
    if wrong:
        parts.append(_told(f"{place}-wrong", wrong))
    return f'<div class="forms-field">{"".join(parts)}</div>'


def _control(field: Field, given: str, value: str, words: Words) -> str:
    longest = f' maxlength="{LONGEST[field.type]}"'
    if field.type == "long":
        # The line break behind the tag is not part of the text; one that the text begins with is.
        return f'<textarea{given}{longest} rows="6">\n{escape(value)}</textarea>'
    if field.type == "choice":
        options = "".join(
            f'<option{" selected" * (each == value)} value="{escape(each)}">{escape(each)}</option>'
            for each in field.options
        )
        return f'<select{given}><option value="">{escape(words.choose)}</option>{options}</select>'
    if field.type == "file":
        return f'<input type="file"{given} accept="{extensions_of(field)}">'
    fills = f' autocomplete="{_FILLS[field.type]}"' if field.type in _FILLS else ""
    bound = "" if field.type == "date" else longest
    kind = _INPUTS[field.type]
    return f'<input type="{kind}"{given}{bound}{fills} value="{escape(value)}">'


def _consent(place: str, form: Form, state: State) -> str:
    wrong = state.wrong.get("consent", "")
    given = " checked" * state.consent
    if wrong:
        given += f' aria-invalid="true" aria-describedby="{place}-wrong"'
    box = f'<input type="checkbox" id="{place}" name="consent" value="Y" required{given}>'
    label = f'<label for="{place}">{form.consent}</label>'
    return f'<div class="forms-agree">{box}{label}</div>' + (
        _told(f"{place}-wrong", wrong) if wrong else ""
    )


def _guarding(state: State, words: Words) -> str:
    """Write what a person does not see: see the guard."""
    if state.again:
        return f'<input type="hidden" name="again" value="{escape(state.again)}">'
    return (
        f'<div class="forms-extra" aria-hidden="true"><label>{escape(words.leave_empty)}'
        ' <input name="homepage" tabindex="-1" autocomplete="off"></label></div>'
        f'<img class="forms-seen" src="{PLACE}/seen.svg" alt="" width="1" height="1"'
        ' loading="lazy">'
    )


def _told(place: str, text: str) -> str:
    return f'<p class="forms-error" id="{place}">{escape(text)}</p>'

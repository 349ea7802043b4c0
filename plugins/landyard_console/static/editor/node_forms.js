// The forms of nodes, by type: links, icons, embeds, maps, menus, and types of plugins.

import { field, h, t } from './dom.js'
import { htmlOf } from './draft.js'
import { escapeText } from './markup.js'
import { valueToSend } from './node_values.js'
import { panelFor, pluginOf } from './panels.js'
import { pictureForm } from './picture_form.js'

/** @typedef {import('./draft.js').Block} Block */
/** @typedef {import('./draft.js').Place} Place */
/** @typedef {import('./editor.js').Editor} Editor */
/** @typedef {(editor: Editor, block: Block, place: Place) => HTMLElement} Form */

/**
 * The form of a node: a built-in one, that of a plugin's panel, or a generic one.
 * @param {Editor} editor @param {Block} block @param {Place} place
 */
export function formFor(editor, block, place) {
  if (pluginOf(place.kind)) return broughtForm(editor, block, place)
  return (FORMS.get(place.kind) ?? generic)(editor, block, place)
}

/** A plugin's panel, whose values the editor saves; if it fails, a generic form with the reason. @type {Form} */
function broughtForm(editor, block, place) {
  const holder = h('div', { class: 'ed-brought', 'aria-busy': 'true' }, h('p', { class: 'ed-hint' }, t('loading')))
  const change = (/** @type {unknown} */ value) => editor.changes.setNode(place, value, block)
  const node = { key: place.key, name: place.name, type: place.kind, html: place.element.outerHTML }
  const instead = (/** @type {string} */ error) =>
    h(
      'div',
      {},
      h('p', { class: 'notice bad' }, t('brought.failed', { plugin: pluginOf(place.kind), error })),
      generic(editor, block, place)
    )
  panelFor(place.kind, { value: dataOf(place), change, node })
    .catch(instead)
    .then((panel) => {
      holder.replaceChildren(panel)
      holder.removeAttribute('aria-busy')
    })
  return holder
}

/** @param {string} value @param {(value: string) => void} set @param {Record<string, any>} [more] */
export const textInput = (value, set, more = {}) =>
  h('input', {
    type: 'text',
    value,
    defaultValue: value,
    spellcheck: false,
    onchange: (/** @type {any} */ event) => set(event.target.value.trim()),
    ...more
  })

/** @type {Form} */
function text(editor, block, place) {
  const why = editor.writing.whyNot(place)
  if (why === 'panel.readonly') return h('p', { class: 'ed-hint' }, t(why))
  if (why) return textField(editor, block, place, t(why))
  return h(
    'div',
    {},
    h(
      'button',
      { type: 'button', class: 'main ed-begin', onclick: () => editor.edit(block.id, place.key) },
      t('text.edit')
    ),
    h('p', { class: 'ed-hint ed-keys' }, t('text.hint'))
  )
}

/** @type {Form} */
function link(editor, block, place) {
  const at = (/** @type {string} */ name) => place.element.getAttribute(name) ?? ''
  const kept = Object.fromEntries(
    ['data-embed', 'data-url']
      .map((name) => [name, place.element.getAttribute(name)])
      .filter(([, value]) => value !== null)
  )
  const set = (/** @type {object} */ changed) =>
    editor.changes.setNode(place, { href: at('href'), target: at('target'), attrs: kept, ...changed }, block)
  const inNewTab = h('input', {
    type: 'checkbox',
    checked: at('target') === '_blank',
    dataset: { name: 'target' },
    onchange: () => set({ target: inNewTab.checked ? '_blank' : '_self' })
  })
  const isText = place.element.textContent?.trim()
  return h(
    'div',
    {},
    field(
      t('link.address'),
      textInput(at('href'), (href) => set({ href }), { inputMode: 'url', dataset: { name: 'href' } })
    ),
    h('label', { class: 'ed-check' }, inNewTab, t('link.new_tab')),
    isText ? linkText(editor, block, place) : null
  )
}

/** The access to the text of a link: in the page, or else in a field. @type {Form} */
function linkText(editor, block, place) {
  if (!editor.writing.whyNot(place))
    return h('button', { type: 'button', onclick: () => editor.edit(block.id, place.key) }, t('link.edit_text'))
  return textField(editor, block, place, t('text.cannot_keep'))
}

/**
 * A field for a text that cannot be edited in the page: as text, or as HTML if it has elements.
 * @param {Editor} editor @param {Block} block @param {Place} place @param {string} why
 */
function textField(editor, block, place, why) {
  const html = htmlOf(place)
  const isPlain = !place.element.firstElementChild
  const value = isPlain ? (place.element.textContent?.trim() ?? '') : html
  const set = () => {
    if (area.value.trim() === value) return
    editor.changes.setNode(place, valueToSend(place, isPlain ? escapeText(area.value.trim()) : area.value), block)
  }
  const area = h('textarea', {
    rows: isPlain ? 2 : 6,
    value,
    defaultValue: value,
    class: isPlain ? 'ed-prose' : '',
    spellcheck: isPlain,
    dir: 'auto',
    dataset: { name: 'text' },
    onchange: set
  })
  return field(t(isPlain ? 'text.own' : 'text.source'), area, why)
}

/** @type {Form} */
function iconForm(editor, block, place) {
  const ofIcons = new RegExp(`^(?:${editor.root.dataset.iconNames})$`) // all other classes are structure
  const names = [...place.element.classList].filter((name) => ofIcons.test(name))
  const set = (/** @type {string} */ value) => editor.changes.setNode(place, value.split(/\s+/).filter(Boolean), block)
  const [own, known] = [names.join(' '), iconsIn(editor.frame.document)]
  const choices = known.includes(own) ? known : [own, ...known]
  const choice = h(
    'select',
    { dataset: { name: 'icon' }, onchange: () => set(choice.value) },
    ...choices.map((name) =>
      h('option', { value: name, selected: name === own }, name.replace(/^icon-/, '') || t('attribute.unset'))
    )
  )
  const classes = field(t('icon.classes'), textInput(own, set, { dataset: { name: 'icon classes' } }), t('icon.hint'))
  return h(
    'div',
    {},
    known.length ? field(t('icon.icon'), choice) : null,
    known.length ? h('details', { class: 'ed-more' }, h('summary', {}, t('icon.other')), classes) : classes
  )
}

/** The icons defined in the page's style sheets. @param {Document} page @returns {string[]} */
function iconsIn(page) {
  const selectors = [...page.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .map((rule) => /** @type {any} */ (rule).selectorText ?? '')
  return [...new Set(selectors.flatMap((text) => text.match(/\bicon-[a-z0-9-]+/g) ?? []))].sort()
}

/** @type {Form} */
function embed(editor, block, place) {
  const src = place.element.getAttribute(place.element.localName === 'iframe' ? 'src' : 'data-src') ?? ''
  const source = place.element.getAttribute('data-source') ?? ''
  const preview = place.element.getAttribute('data-preview') ?? ''
  const set = (/** @type {string} */ value) => {
    const address = playerOf(value, JSON.parse(editor.root.dataset.players ?? '[]'))
    editor.changes.setNode(place, { src: address, source: value, preview }, block)
  }
  return h(
    'div',
    {},
    field(
      t('embed.address'),
      textInput(source || src, set, { inputMode: 'url', dataset: { name: 'embed' } }),
      t('embed.hint')
    )
  )
}

/**
 * The address of a video's player, if its page's address is known. `players` are patterns of
 * addresses with the player's address, to which the match is appended.
 * @param {string} address @param {[string, string][]} players
 */
export function playerOf(address, players) {
  for (const [pattern, player] of players) {
    const film = new RegExp(pattern).exec(address)
    if (film) return player + film[1]
  }
  return address
}

/** The form of an unknown type: its value is sent as text or JSON. @type {Form} */
function generic(editor, block, place) {
  const data = place.element.getAttribute('data-map') ?? dataOf(place)
  const area = h('textarea', {
    rows: 3,
    value: data,
    defaultValue: data,
    spellcheck: false,
    dataset: { name: 'value' },
    onchange: () => editor.changes.setNode(place, readValue(area.value), block)
  })
  return h('div', {}, field(t('value.label', { kind: place.kind }), area, t('value.hint')))
}

/** The stored value of a plugin's node type. @param {Place} place */
function dataOf(place) {
  const own = place.element.getAttribute(`data-${place.kind}`)
  return own ?? htmlOf(place)
}

/** @param {string} text @returns {any} */
function readValue(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The built-in forms, by type of node. @type {Map<string, Form>} */
const FORMS = new Map([
  ['text', text],
  ['link', link],
  ['img', pictureForm],
  ['styleimg', pictureForm],
  ['icon', iconForm],
  ['embed', embed]
])

// The panel of the selection: its settings, made from the manifest of the block type.

import { attributeFields, blockAttributes } from './attributes.js'
import { cardLists, nodeName } from './cards.js'
import { h, iconButton, t } from './dom.js'
import { htmlOf } from './draft.js'
import { formFor } from './node_forms.js'
import { step } from './outline.js'
import { SMALL } from './preview_size.js'
import { styleFields } from './styles.js'

/** @typedef {import('./draft.js').Block} Block */
/** @typedef {import('./draft.js').Place} Place */

const AFTER_LEAVING = 300

export class Panel {
  #inside
  /** @type {string | null} */ #shown = null

  /** @param {import('./editor.js').Editor} editor */
  constructor(editor) {
    this.editor = editor
    this.#inside = h('div', { class: 'ed-inside' })
    this.element = h('aside', { class: 'ed-panel', 'aria-label': t('panel.label') }, this.#inside)
    editor.watch(() => this.update())
    new ResizeObserver(() => this.#uncover()).observe(this.element)
    // A redraw that was put off while a field had the focus happens when it is left.
    this.#inside.addEventListener('focusout', () => setTimeout(() => this.update(), AFTER_LEAVING))
  }

  /** Focus the field of the text itself after the next redraw. */
  focusField() {
    this.update()
    const area = /** @type {HTMLElement | null} */ (this.#inside.querySelector('[data-name="text"]'))
    setTimeout(() => area?.focus()) // the frame keeps the focus until the click ends
  }

  focus() {
    const first = /** @type {HTMLElement | null} */ (this.#inside.querySelector('button, input, select, textarea'))
    first?.focus()
  }

  /** Keep the selection visible where the panel covers the page. */
  #uncover() {
    const { chosen, frame, root } = this.editor
    if (root.dataset.ready === undefined) return
    const covered =
      SMALL.matches && this.element.offsetHeight
        ? frame.element.getBoundingClientRect().bottom - this.element.getBoundingClientRect().top
        : 0
    frame.keepFree(Math.max(0, covered))
    if (covered > 0 && chosen) frame.reveal(chosen.block, chosen.key)
  }

  /** Redraw the panel if the selection or the block has changed, but not while a field of it is in use. */
  update() {
    const { block, chosen } = this.editor
    this.element.classList.toggle('ed-open', Boolean(block))
    this.element.classList.toggle('ed-typing', Boolean(this.editor.open))
    const state = block ? `${block.id} ${chosen?.key} ${block.revision} ${block.content} ${block.active}` : ''
    if (state === this.#shown) return
    const active = /** @type {HTMLElement | null} */ (document.activeElement)
    const isSame = this.#shown?.startsWith(`${block?.id} ${chosen?.key} `)
    if (isSame && active?.closest('.ed-brought')) return // a plugin's panel keeps its own content and focus
    const focused = this.#inside.contains(active) && isSame ? nameOf(active) : null
    if (focused && active?.matches('input:not([type=checkbox]), textarea') && isDirty(/** @type {any} */ (active)))
      return
    this.#shown = state
    const { scrollTop } = this.element
    this.#inside.replaceChildren(
      ...(block
        ? this.#block(block)
        : [h('div', { class: 'ed-nothing' }, h('h2', {}, t('panel.nothing')), h('p', {}, t('panel.hint')))])
    )
    if (isSame) this.element.scrollTop = scrollTop
    if (focused)
      /** @type {HTMLElement | undefined} */ (
        [...this.#inside.querySelectorAll('button, input, select, textarea')].find((each) => nameOf(each) === focused)
      )?.focus()
  }

  /** @param {Block} block @returns {Node[]} */
  #block(block) {
    const { editor } = this
    const places = editor.draft.places(block)
    const place = places.find((each) => each.key === editor.chosen?.key)
    return [this.#head(block), ...(place ? this.#node(block, place) : this.#whole(block, places))]
  }

  /** @param {Block} block */
  #head(block) {
    const { editor } = this
    const { changes, draft } = editor
    const at = draft.blocks.indexOf(block)
    return h(
      'header',
      {},
      h(
        'div',
        { class: 'ed-row' },
        h('h2', {}, block.name || block.code),
        iconButton('close', t('panel.close'), () => editor.choose(null))
      ),
      h(
        'div',
        { class: 'ed-row', role: 'toolbar', 'aria-label': t('block.tools') },
        iconButton('up', t('block.up'), () => step(editor, block, -1), { disabled: at === 0 }),
        iconButton('down', t('block.down'), () => step(editor, block, 1), { disabled: at === draft.blocks.length - 1 }),
        iconButton(block.active ? 'hide' : 'show', t(block.active ? 'block.hide' : 'block.show'), () =>
          changes.showBlock(block, !block.active)
        ),
        iconButton('copy', t('block.copy'), () => changes.copyBlock(block)),
        iconButton('remove', t('block.remove'), () => changes.removeBlock(block))
      )
    )
  }

  /** @param {Block} block @param {Place[]} places @returns {Node[]} */
  #whole(block, places) {
    const { editor } = this
    return [
      section(t('panel.contents'), h('ul', { class: 'ed-nodes' }, ...places.map((place) => this.#row(block, place)))),
      ...cardLists(editor, block),
      ...blockAttributes(editor, block),
      ...styleFields(editor, block, null),
      this.#anchor(block)
    ].filter((each) => each !== null)
  }

  /** @param {Block} block @param {Place} place */
  #row(block, place) {
    const { editor } = this
    const isText = place.kind === 'text' || (place.kind === 'link' && place.element.textContent?.trim())
    const text =
      place.element.textContent?.replace(/\s+/g, ' ').trim().slice(0, 70) || place.element.getAttribute('alt') || ''
    const open = () => {
      if (isText && place.kind === 'text') editor.edit(place.block, place.key)
      else editor.choose(place.block, place.key, { reveal: true })
    }
    return h(
      'li',
      {},
      h(
        'button',
        { type: 'button', onclick: open, dataset: { name: place.key } },
        h('span', { class: 'ed-kind' }, nodeName(editor, block, place)),
        h('span', { class: 'ed-snippet', dir: 'auto' }, text)
      )
    )
  }

  /** @param {Block} block @param {Place} place @returns {Node[]} */
  #node(block, place) {
    const { editor } = this
    return [
      h(
        'p',
        { class: 'ed-crumb' },
        h('button', { type: 'button', class: 'quiet', onclick: () => editor.choose(block.id) }, t('panel.to_block'))
      ),
      section(nodeName(editor, block, place), formFor(editor, block, place)),
      ...cardLists(editor, block, place),
      ...attributeFields(editor, block, place),
      ...styleFields(editor, block, place),
      ...(place.kind === 'text' && (!editor.writing.whyNot(place) || !place.element.firstElementChild)
        ? [this.#source(block, place)]
        : [])
    ]
  }

  /** The field to edit the HTML of a text. @param {Block} block @param {Place} place */
  #source(block, place) {
    const area = h('textarea', {
      rows: 6,
      value: htmlOf(place),
      defaultValue: htmlOf(place),
      spellcheck: false,
      'aria-label': t('text.source')
    })
    const save = () => {
      if (area.value === htmlOf(place)) return
      this.editor.close()
      this.editor.changes.setNode(place, area.value, block)
      area.defaultValue = area.value
    }
    return h(
      'details',
      { class: 'ed-more' },
      h('summary', {}, t('text.source')),
      h('p', { class: 'ed-hint' }, t('text.source_hint')),
      area,
      h('button', { type: 'button', onclick: save }, t('text.save_source'))
    )
  }

  /** @param {Block} block */
  #anchor(block) {
    const shown = this.editor.frame.wrapper(block.id)?.id ?? ''
    const own = /^b\d+$/.test(shown) ? '' : shown
    const input = h('input', {
      type: 'text',
      value: own,
      defaultValue: own,
      spellcheck: false,
      dataset: { name: 'anchor' },
      onchange: () => this.editor.changes.setAnchor(block, input.value.trim())
    })
    return h(
      'details',
      { class: 'ed-more' },
      h('summary', {}, t('block.anchor')),
      input.value ? null : h('p', { class: 'ed-hint' }, t('block.anchor_hint')),
      h('label', { class: 'ed-anchor' }, h('span', { class: 'ed-hidden' }, t('block.anchor')), input)
    )
  }
}

/** @param {string} title @param {...Node} content */
export const section = (title, ...content) => h('section', {}, h('h3', {}, title), ...content)

/** @param {Element | null} element */
const nameOf = (element) =>
  element instanceof HTMLElement
    ? (element.dataset.name ?? element.getAttribute('aria-label') ?? element.textContent)
    : null

/** @param {HTMLInputElement | HTMLTextAreaElement} field */
const isDirty = (field) => field.value !== field.defaultValue

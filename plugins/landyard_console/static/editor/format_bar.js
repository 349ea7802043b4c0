// The format bar of an open text: bold, italic, links, lists.

import { h, iconButton, t } from './dom.js'
import * as formatting from './formatting.js'
import { SMALL } from './preview_size.js'

const { FORMATS } = formatting

export class FormatBar {
  /** @type {HTMLFormElement | null} */ #form = null

  /** @param {import('./editor.js').Editor} editor */
  constructor(editor) {
    this.editor = editor
    this.element = h('div', { class: 'ed-format', role: 'toolbar', 'aria-label': t('format.label') })
    /** @type {[HTMLElement, () => boolean][]} */
    this.states = []
    editor.watch(() => this.update())
  }

  /** @type {unknown} */ #shown = undefined

  update() {
    const { open } = this.editor
    if (this.#shown !== (open?.text ?? null)) {
      this.#shown = open?.text ?? null
      this.#form = null
      this.states = []
      if (open) this.#draw()
      else this.element.replaceChildren(h('span', { class: 'ed-hint' }, t('format.none')))
    }
    for (const [button, isOn] of this.states) button.setAttribute('aria-pressed', String(open ? isOn() : false))
  }

  #draw() {
    const { open } = this.editor
    if (!open) return
    const { text, place } = open
    const state = () => text.view.state
    const mark = (/** @type {string} */ name, /** @type {readonly string[]} */ tags) => {
      const button = this.#button(name, () => text.run(formatting.toggle(tags)))
      this.states.push([button, () => formatting.marksAt(state(), tags).length > 0])
      return button
    }
    const list = (/** @type {'ul' | 'ol'} */ tag) => {
      const button = this.#button(tag, () => text.run(formatting.toggleList(tag)))
      this.states.push([button, () => formatting.listAt(state())?.attrs.tag === tag])
      return button
    }
    this.states = []
    const link = place.kind === 'link' ? null : this.#button('link', () => this.askLink())
    if (link) this.states.push([link, () => formatting.linkAt(state()) !== null])
    this.element.replaceChildren(
      h('span', { class: 'ed-what' }, place.name),
      mark('bold', FORMATS.bold),
      mark('italic', FORMATS.italic),
      mark('underline', FORMATS.underline),
      ...(link ? [link] : []),
      ...(text.isOfLines ? [list('ul'), list('ol')] : []),
      this.#button('clear', () => text.run(formatting.clearFormatting)),
      h('button', { type: 'button', class: 'ed-done', onclick: () => this.#done() }, t('format.done'))
    )
  }

  /** Close the text. On narrow screens, where the panel covers half of the page, it opens only for the address of a link. */
  #done() {
    const { editor } = this
    if (!SMALL.matches || editor.open?.place.kind === 'link') return editor.close({ focus: true })
    const block = editor.chosen?.block
    editor.choose(null)
    const inOutline = /** @type {HTMLElement | null} */ (editor.root.querySelector(`[data-id="${block}"] .ed-block`))
    inOutline?.focus()
  }

  /** @param {string} name @param {() => void} act */
  #button(name, act) {
    // A press takes no focus, so that the caret stays in the text.
    return iconButton(name, t(`format.${name}`), act, {
      onmousedown: (/** @type {Event} */ event) => event.preventDefault()
    })
  }

  /** Ask for the address of a link. */
  askLink() {
    const { open } = this.editor
    if (!open || open.place.kind === 'link') return
    if (this.#form) {
      this.#form.querySelector('input')?.focus()
      return
    }
    const { text } = open
    const there = formatting.linkAt(text.view.state)
    const { href = '', target = '' } = there?.mark.attrs.attributes ?? {}
    const address = h('input', {
      type: 'text',
      value: href,
      placeholder: 'https://',
      'aria-label': t('link.address'),
      inputMode: 'url',
      spellcheck: false
    })
    const inNewTab = h('input', { type: 'checkbox', checked: target === '_blank' })
    const close = () => {
      this.#form = null
      form.remove()
    }
    const set = (/** @type {string} */ value) => {
      close()
      text.run(formatting.setLink(value, inNewTab.checked))
    }
    const form = h(
      'form',
      {
        class: 'ed-link',
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault()
          set(address.value.trim())
        },
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key === 'Escape') {
            close()
            text.view.focus()
          }
        }
      },
      address,
      h('label', {}, inNewTab, t('link.new_tab')),
      h('button', { class: 'main' }, t('link.set')),
      there ? h('button', { type: 'button', onclick: () => set('') }, t('link.remove')) : null
    )
    this.#form = form
    this.element.append(form)
    address.focus()
    address.select()
  }
}

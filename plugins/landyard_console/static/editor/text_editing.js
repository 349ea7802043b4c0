// Editing of a text in place: opens it, and turns typed text into changes.

import { t, tell } from './dom.js'
import { htmlOf, placeName } from './draft.js'
import { valueToSend } from './node_values.js'
import { OpenText, whyNot } from './text.js'

/** @typedef {import('./draft.js').Place} Place */

export class Writing {
  /** The open text, and its place. @type {{text: OpenText, place: Place} | null} */
  open = null
  /** The time of the last key. */
  typed = 0

  /** @param {import('./editor.js').Editor} editor */
  constructor(editor) {
    this.editor = editor
  }

  /**
   * Open a text; returns the reason if it cannot be opened.
   * @param {string} block @param {string} key @param {{left: number, top: number}} [at] the clicked position
   */
  begin(block, key, at) {
    const { editor } = this
    const place = editor.draft.place(block, key)
    if (!place) return
    if (this.open && placeName(this.open.place) === placeName(place)) return
    const element = editor.frame.node(block, key)
    editor.choose(block, key)
    const html = this.#htmlOf(place)
    const why = this.whyNot(place)
    if (why || !element) {
      if (why === 'panel.readonly') tell(t(why), 'bad')
      else editor.panel?.focusField()
      return
    }
    const text = new OpenText(element, html, {
      label: place.name,
      changed: (changed) => this.#typed(place, changed),
      left: () => editor.close({ focus: true }),
      undo: () => editor.undo(),
      redo: () => editor.redo(),
      moved: () => editor.formatBar?.update(),
      link: () => editor.formatBar?.askLink()
    })
    this.open = { text, place }
    editor.frame.held = block
    text.focus(at)
    editor.tell()
  }

  /** Close the text and show the typed version. */
  end() {
    if (!this.open) return
    const { frame, draft, chosen } = this.editor
    const { text, place } = this.open
    this.open = null
    text.close()
    frame.release()
    frame.mark(draft.blocks.filter((block) => block.id === place.block))
    frame.choose(chosen?.block ?? null, chosen?.key)
  }

  /** Show the server's version unless changes are unsent; close a text that no longer exists. */
  refresh() {
    if (!this.open) return
    const { editor } = this
    const { text, place } = this.open
    const fresh = editor.draft.place(place.block, place.key)
    if (!fresh) {
      this.open = null
      text.close()
      editor.frame.release()
      editor.frame.sync()
      return
    }
    this.open.place = fresh
    editor.isBehind = true
    if (!editor.queue.holds(placeName(place))) text.replace(this.#htmlOf(fresh))
  }

  /** Take over the saved text of a place, which the server may have changed. @param {string} name of the place */
  saved(name) {
    if (!this.open || placeName(this.open.place) !== name) return
    const { draft, queue } = this.editor
    const isLast = queue.entries.filter((other) => other.place === name).length === 1
    const fresh = draft.place(this.open.place.block, this.open.place.key)
    if (fresh) this.open.place = fresh
    if (fresh && isLast) this.open.text.replace(htmlOf(fresh))
  }

  /** Return the reason why a text cannot be edited in place. @param {Place} place @returns {string | null} the key of the reason */
  whyNot(place) {
    if (!this.editor.presence.mayEdit) return 'panel.readonly'
    return this.editor.frame.node(place.block, place.key) ? whyNot(this.#htmlOf(place)) : 'text.drawn_otherwise'
  }

  /** The HTML of a text, including unsaved changes. @param {Place} place */
  #htmlOf(place) {
    const waiting = this.editor.queue.entries.findLast((entry) => entry.place === placeName(place))
    const value = waiting?.params.data[place.key]
    if (value === undefined) return htmlOf(place)
    return typeof value === 'string' ? value : value.text
  }

  /** @param {Place} place @param {string} html */
  #typed(place, html) {
    const { draft, queue, changes } = this.editor
    this.typed = Date.now()
    const block = draft.find(place.block)
    if (!block) return
    const stored = draft.place(place.block, place.key)
    const isSent = queue.entries.some((entry) => entry.place === placeName(place) && entry.tried)
    if (stored && htmlOf(stored) === html && !isSent) queue.forget(placeName(place))
    else changes.type(place, valueToSend(place, html), block)
    this.editor.tell()
  }
}

// An open text: a ProseMirror editor in place on the page.

import { baseKeymap, EditorState, EditorView, keymap, TextSelection } from '../vendor/prosemirror.js'
import * as formatting from './formatting.js'
import { asLines, insert, typeBehind } from './insertion.js'
import { attributesOf, parse, readInside, writeInside } from './markup.js'
import { readPasted, readPastedText } from './pasting.js'

/**
 * @typedef {object} TextOptions
 * @property {string} label the label for screen readers
 * @property {(html: string) => void} changed
 * @property {() => void} left
 * @property {() => void} undo
 * @property {() => void} redo
 * @property {() => void} moved the caret has moved
 * @property {() => void} link the user asks for a link
 */

/** Elements that may contain paragraphs instead of one phrase. */
const HOLDS_LINES = /^(?:address|article|aside|blockquote|dd|div|figcaption|footer|header|li|main|section|td)$/

/** Return the reason why HTML cannot be opened; null if it can. @param {string} html @returns {string | null} */
export function whyNot(html) {
  return writeInside(readInside(parse(html))) === html ? null : 'text.cannot_keep'
}

/** Whether white space can be shown unchanged, so that a blank can be typed after a word. @param {any} document */
function isTidy(document) {
  let tidy = true
  document.descendants((/** @type {any} */ node) => {
    tidy &&= !node.isText || !/[\n\t]| {2}/.test(node.text)
  })
  return tidy
}

/** Show elements that are kept whole in the page's document, with its styles. @param {string} tag */
const keptView = (tag) => (/** @type {any} */ node, /** @type {any} */ view) => {
  const page = view.dom.ownerDocument
  const broken = /^<(br|wbr)\b/.exec(node.attrs.html)
  if (broken) return { dom: page.createElement(broken[1]) }
  const dom = page.createElement(tag)
  dom.setAttribute('data-kept', '')
  dom.contentEditable = 'false'
  dom.innerHTML = node.attrs.html
  return { dom, ignoreMutation: () => true }
}

export class OpenText {
  #element
  #attributes
  #options

  /** @param {HTMLElement} element @param {string} html @param {TextOptions} options */
  constructor(element, html, options) {
    this.#element = element
    this.#attributes = attributesOf(element)
    this.#options = options
    this.html = html
    const document = readInside(parse(html))
    element.classList.toggle('ly-tidy', isTidy(document))
    this.view = new EditorView(
      { mount: element },
      {
        state: EditorState.create({ doc: document, plugins: [keymap(this.#keys()), keymap(baseKeymap)] }),
        attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': options.label },
        nodeViews: { whole: keptView('div'), piece: keptView('span') },
        dispatchTransaction: (/** @type {any} */ transaction) => this.#dispatch(transaction),
        handleDrop: () => true,
        handleTextInput: (
          /** @type {any} */ view,
          /** @type {number} */ _,
          /** @type {number} */ __,
          /** @type {string} */ typed
        ) => typeBehind(view.state, view.dispatch, typed),
        handleKeyDown: (/** @type {any} */ _, /** @type {KeyboardEvent} */ event) => this.#key(event),
        handleDOMEvents: {
          // Removed first, because ProseMirror parses in the console's document, whose policy forbids
          // styles.
          paste: (/** @type {any} */ _, /** @type {ClipboardEvent} */ event) => {
            event.preventDefault()
            return this.#paste(event)
          },
          // Read the caret's new position before the next key is handled.
          keydown: (/** @type {any} */ view) => {
            view.domObserver.flush()
            return false
          },
          click: (/** @type {any} */ _, /** @type {Event} */ event) => {
            event.preventDefault()
            return false
          },
          dragstart: (/** @type {any} */ _, /** @type {Event} */ event) => {
            event.preventDefault()
            return true
          }
        }
      }
    )
  }

  /** Whether the text consists of paragraphs. */
  get isOfLines() {
    return this.view.state.doc.type.name === 'lines'
  }

  /** Put the caret at the clicked position, or at the end. @param {{left: number, top: number}} [at] */
  focus(at) {
    const { state } = this.view
    const found = at && this.view.posAtCoords(at)
    const selection = found ? TextSelection.near(state.doc.resolve(found.pos)) : TextSelection.atEnd(state.doc)
    this.view.dispatch(state.tr.setSelection(selection))
    this.view.focus()
  }

  /** @param {(state: any, dispatch: any) => boolean} command */
  run(command) {
    command(this.view.state, this.view.dispatch)
    this.view.focus()
  }

  /** Replace the text by the server's; the caret keeps its position. @param {string} html */
  replace(html) {
    const { state } = this.view
    const document = readInside(parse(html))
    this.html = html
    if (document.type !== state.doc.type) {
      this.view.updateState(EditorState.create({ doc: document, plugins: state.plugins }))
      return
    }
    if (writeInside(state.doc) === html) return
    const start = state.doc.content.findDiffStart(document.content)
    const end = state.doc.content.findDiffEnd(document.content)
    const { tr } = state
    if (start !== null && end) {
      const overlap = start - Math.min(end.a, end.b)
      const [a, b] = overlap > 0 ? [end.a + overlap, end.b + overlap] : [end.a, end.b]
      tr.replace(start, a, document.slice(start, b))
    }
    for (const [name, value] of Object.entries(document.attrs)) tr.setDocAttribute(name, value)
    this.view.dispatch(tr.setMeta('server', true))
  }

  /** Close the text; the element contains plain HTML again. */
  close() {
    this.view.destroy()
    for (const name of Object.keys(attributesOf(this.#element))) this.#element.removeAttribute(name)
    for (const [name, value] of Object.entries(this.#attributes)) this.#element.setAttribute(name, value)
    this.#element.innerHTML = this.html
  }

  /** @param {any} transaction */
  #dispatch(transaction) {
    this.view.updateState(this.view.state.apply(transaction))
    this.#options.moved()
    if (!transaction.docChanged || transaction.getMeta('server')) return
    const html = writeInside(this.view.state.doc)
    if (html === this.html) return
    this.html = html
    this.#options.changed(html)
  }

  /** Turn a phrase into a paragraph, keeping the selection. */
  #becomeLines() {
    const { doc, plugins, selection } = this.view.state
    const document = asLines(doc)
    const at = (/** @type {number} */ position) => position + 1
    this.view.updateState(
      EditorState.create({
        doc: document,
        plugins,
        selection: TextSelection.create(document, at(selection.from), at(selection.to))
      })
    )
  }

  #keys() {
    const { FORMATS, breakLine, newLine, toggle } = formatting
    const then = (/** @type {() => void} */ act) => () => {
      act()
      return true
    }
    return {
      'Mod-b': toggle(FORMATS.bold),
      'Mod-i': toggle(FORMATS.italic),
      'Mod-u': toggle(FORMATS.underline),
      'Mod-k': then(this.#options.link),
      'Mod-z': then(this.#options.undo),
      'Mod-y': then(this.#options.redo),
      'Mod-Shift-z': then(this.#options.redo),
      'Shift-Enter': breakLine,
      Enter: newLine,
      Escape: then(this.#options.left)
    }
  }

  /** Insert a blank, which would otherwise open a `summary` or press a button. @param {KeyboardEvent} event */
  #key(event) {
    if (event.key !== ' ' || !this.#element.closest('summary, button')) return false
    event.preventDefault()
    this.view.dispatch(this.view.state.tr.insertText(' '))
    return true
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    const html = event.clipboardData?.getData('text/html')
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (!html && !text) return true
    const canHold = this.isOfLines || HOLDS_LINES.test(this.#element.localName)
    const read = html ? readPasted(html, canHold) : readPastedText(text, canHold && /\S\s*\n\s*\n\s*\S/.test(text))
    if (
      read.type.name === 'lines' &&
      canHold &&
      !this.isOfLines &&
      read.childCount + Number(read.firstChild.attrs.tag !== 'p') > 1
    )
      this.#becomeLines()
    insert(read)(this.view.state, this.view.dispatch)
    return true
  }
}

// The frame with the draft as visitors would see it. It is loaded once; changed parts are replaced.

import { select } from './draft.js'
import { morph } from './morph.js'

/** @typedef {import('./draft.js').Draft} Draft */
/** @typedef {import('./draft.js').Block} Block */

/**
 * The events in the frame. `key` is that of the node, if there is one.
 * @typedef {object} FrameListener
 * @property {(block: string, key: string | null, event: MouseEvent) => void} clicked
 * @property {(block: string, key: string, files: FileList) => void} dropped
 * @property {(event: KeyboardEvent) => void} pressed
 * @property {(event: ClipboardEvent) => void} pasted
 */

const BLOCK = '[data-block]'
const PATIENCE = 2000

export class Frame {
  /** The last HTML rendered by the server, by block. @type {Map<string, string>} */
  #drawn = new Map()
  /** @type {string | null} */ held = null
  #draft
  #listener

  /** @param {HTMLIFrameElement} element @param {string} address @param {Draft} draft @param {FrameListener} listener */
  constructor(element, address, draft, listener) {
    this.element = element
    this.address = address
    this.#draft = draft
    this.#listener = listener
  }

  /** @returns {Document} */
  get document() {
    return /** @type {Document} */ (this.element.contentDocument)
  }

  /** Load the draft for the first time. */
  async load() {
    await new Promise((resolve) => {
      this.element.addEventListener('load', resolve, { once: true })
      this.element.src = this.address
    })
    for (const wrapper of wrappersIn(this.document)) this.#drawn.set(idOf(wrapper), wrapper.outerHTML)
    this.#listen()
  }

  /** Show the changes from the server; the block in `held` keeps its content. */
  async sync() {
    const answer = await fetch(this.address, { credentials: 'same-origin', cache: 'no-store' })
    if (!answer.ok) return
    // Parsed in the page's own document, which may have inline styles.
    const { DOMParser: Parser } = /** @type {any} */ (this.element.contentWindow)
    const fresh = new Parser().parseFromString(await answer.text(), 'text/html')
    await this.#addStyles(fresh)
    this.#arrange(this.document.body, fresh.body)
    this.mark()
  }

  /** @param {string} block @returns {HTMLElement | null} */
  wrapper(block) {
    return this.document.querySelector(`[data-block="${block}"]`)
  }

  /** The displayed element of a node. @param {string} block @param {string} key @returns {HTMLElement | null} */
  node(block, key) {
    const wrapper = this.wrapper(block)
    return (
      /** @type {HTMLElement | null} */ (
        wrapper &&
          [...wrapper.querySelectorAll('[data-ly-node]')].find((each) => each.getAttribute('data-ly-node') === key)
      ) ?? null
    )
  }

  /** Highlight the selection. @param {string | null} block @param {string | null} [key] */
  choose(block, key = null) {
    for (const each of this.document.querySelectorAll('[data-ly-chosen]')) each.removeAttribute('data-ly-chosen')
    if (!block) return
    this.wrapper(block)?.setAttribute('data-ly-chosen', 'block')
    if (key) this.node(block, key)?.setAttribute('data-ly-chosen', 'node')
  }

  /** @param {string} block @param {string | null} [key] */
  reveal(block, key) {
    const element = (key && this.node(block, key)) || this.wrapper(block)
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    element?.scrollIntoView({ block: key ? 'center' : 'nearest', behavior: still ? 'auto' : 'smooth' })
  }

  /** Keep some pixels free at the end of the window, where a panel covers it. @param {number} pixels */
  keepFree(pixels) {
    const { style } = this.document.documentElement
    style.paddingBlockEnd = style.scrollPaddingBlockEnd = pixels ? `${pixels}px` : ''
  }

  /** Release the block in `held`, so that it is shown as on the server. */
  release() {
    if (this.held) this.#drawn.delete(this.held)
    this.held = null
  }

  /** Mark editable elements. A node is skipped if its displayed and stored numbers differ. */
  mark(blocks = this.#draft.blocks) {
    // Elements stay when a block changes, so marks of former nodes must be removed.
    const wrappers = new Map(wrappersIn(this.document).map((wrapper) => [idOf(wrapper), wrapper]))
    for (const block of blocks) {
      const wrapper = wrappers.get(block.id)
      if (!wrapper) continue
      for (const each of wrapper.querySelectorAll('[data-ly-node]')) each.removeAttribute('data-ly-node')
      const counts = new Map()
      for (const place of this.#draft.places(block)) counts.set(place.selector, (counts.get(place.selector) ?? 0) + 1)
      for (const [selector, node] of Object.entries(this.#draft.manifest(block).nodes ?? {})) {
        const shown = select(wrapper, selector)
        if (shown.length !== (counts.get(selector) ?? 0)) continue
        shown.forEach((element, index) => {
          element.setAttribute('data-ly-node', `${selector}@${index}`)
          element.setAttribute('data-ly-kind', node.type)
        })
      }
    }
  }

  /** Wait briefly for the style sheets of new blocks, without which their size and position are wrong. @param {Document} fresh */
  async #addStyles(fresh) {
    const sheets = (/** @type {Document} */ page) => [...page.head.querySelectorAll('link[rel="stylesheet"]')]
    const present = new Set(sheets(this.document).map((sheet) => sheet.getAttribute('href')))
    const ours = sheets(this.document).at(-1)
    const added = sheets(fresh)
      .filter((sheet) => !present.has(sheet.getAttribute('href')))
      .map((sheet) => this.document.importNode(sheet, true))
    const loaded = added.map(
      (sheet) =>
        new Promise((resolve) => {
          for (const end of ['load', 'error']) sheet.addEventListener(end, resolve)
          setTimeout(resolve, PATIENCE)
        })
    )
    for (const sheet of added) ours?.before(sheet)
    await Promise.all(loaded)
  }

  /** Replace the children of an element by those of another; unchanged blocks keep their elements. @param {Element} now @param {Element} fresh */
  #arrange(now, fresh) {
    let at = now.firstElementChild
    for (const child of [...fresh.children]) {
      const kept = this.#kept(now, child)
      const element = kept ?? this.document.importNode(child, true)
      if (element === at) at = at.nextElementSibling
      else now.insertBefore(element, at)
      if (kept && kept.localName === 'main') this.#arrange(kept, child)
    }
    while (at) {
      const next = at.nextElementSibling
      if (at.matches(BLOCK)) this.#drawn.delete(idOf(at))
      at.remove()
      at = next
    }
  }

  /** The existing element that can stay instead of a fresh one. @param {Element} now @param {Element} fresh @returns {Element | null} */
  #kept(now, fresh) {
    if (fresh.localName === 'main') return now.querySelector(':scope > main')
    if (!fresh.matches(BLOCK))
      return [...now.children].find((each) => !each.matches(BLOCK) && each.outerHTML === fresh.outerHTML) ?? null
    const id = idOf(fresh)
    const wrapper = this.wrapper(id)
    const html = fresh.outerHTML
    const isSame = this.#drawn.get(id) === html
    if (id === this.held) return wrapper
    this.#drawn.set(id, html)
    if (wrapper && !isSame) morph(wrapper, fresh, (name) => name.startsWith('data-ly-'))
    return wrapper
  }

  #listen() {
    const page = this.document
    const listener = this.#listener
    page.addEventListener(
      'click',
      (event) => {
        const element = /** @type {Element} */ (event.target)
        if (element.closest('[contenteditable="true"]')) return
        event.preventDefault()
        const wrapper = element.closest(BLOCK)
        if (wrapper) listener.clicked(idOf(wrapper), nodeAt(element) ?? pictureBehind(wrapper, event), event)
      },
      true
    )
    page.addEventListener('submit', (event) => event.preventDefault(), true)
    page.addEventListener('keydown', (event) => listener.pressed(event))
    page.addEventListener('paste', (event) => listener.pasted(event))
    page.addEventListener('dragover', (event) => event.preventDefault())
    page.addEventListener('drop', (event) => {
      event.preventDefault()
      const element = /** @type {Element} */ (event.target)
      const key = nodeAt(element, ['img', 'styleimg'])
      const wrapper = element.closest(BLOCK)
      if (wrapper && key && event.dataTransfer?.files.length)
        listener.dropped(idOf(wrapper), key, event.dataTransfer.files)
    })
  }
}

/** @param {Document} page */
const wrappersIn = (page) => [...page.querySelectorAll(BLOCK)]

/** @param {Element} wrapper */
const idOf = (wrapper) => wrapper.getAttribute('data-block') ?? ''

/** The key of a picture covered by other elements, such as a cover's. @param {Element} wrapper @param {MouseEvent} event @returns {string | null} */
function pictureBehind(wrapper, { clientX, clientY }) {
  const pictures = wrapper.ownerDocument
    .elementsFromPoint(clientX, clientY)
    .filter(
      (each) =>
        wrapper.contains(each) && each.matches(':is([data-ly-kind="img"], [data-ly-kind="styleimg"])[data-ly-node]')
    )
  return pictures[0]?.getAttribute('data-ly-node') ?? null
}

/** The key of the node that contains an element, or of the background behind it. @param {Element} element @param {string[]} [kinds] @returns {string | null} */
function nodeAt(element, kinds) {
  for (let at = element.closest('[data-ly-node]'); at; at = at.parentElement?.closest('[data-ly-node]') ?? null) {
    if (!kinds || kinds.includes(at.getAttribute('data-ly-kind') ?? '')) return at.getAttribute('data-ly-node')
  }
  return null
}

// The conversion of HTML to a ProseMirror document, and back to the same HTML, byte for byte.

import { LINES, schema, VOID, WHOLE } from './schema.js'

/** @typedef {import('./schema.js').Attributes} Attributes */
/** @typedef {{before: string, pieces: any[], after: string}} Letters */

const BLANK = /^[ \t\n\f\r]*$/
let keys = 0

/** A new number for an inline element. */
export const nextKey = () => ++keys

/** @param {string} text */
export const escapeText = (text) =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\u00a0/g, '&nbsp;')

/** @param {Attributes} attributes */
const written = (attributes) =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeText(value).replace(/"/g, '&quot;')}"`)
    .join('')

/** @param {string} tag @param {Attributes} attributes */
const opening = (tag, attributes) => (tag ? `<${tag}${written(attributes)}>` : '')

/** @param {string} tag */
const closing = (tag) => (tag ? `</${tag}>` : '')

/** @param {Element} element @returns {Attributes} */
export const attributesOf = (element) =>
  Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]))

/**
 * Serialise a DOM node as the server does.
 * @param {Node} node @returns {string}
 */
export function writeNode(node) {
  if (node.nodeType === Node.TEXT_NODE) return escapeText(node.nodeValue ?? '')
  if (node.nodeType !== Node.ELEMENT_NODE) return ''
  const element = /** @type {Element} */ (node)
  const tag = element.localName
  const start = opening(tag, attributesOf(element))
  return VOID.has(tag) ? start : start + writeInsideOf(element) + closing(tag)
}

/** @param {Node} node */
export const writeInsideOf = (node) => [...node.childNodes].map(writeNode).join('')

let page = document

/** Parse HTML in the page's own document, which may have inline styles. @param {Document} own */
export function parseIn(own) {
  page = own
}

/**
 * Parse HTML into an invisible fragment, which loads nothing.
 * @param {string} html @returns {DocumentFragment}
 */
export function parse(html) {
  const template = page.createElement('template')
  template.innerHTML = html
  return template.content
}

/** @param {Node} node */
const isLine = (node) => node.nodeType === Node.ELEMENT_NODE && LINES.has(/** @type {Element} */ (node).localName)

/** @param {Node} node @returns {boolean} */
const holdsLine = (node) => isLine(node) || [...node.childNodes].some(holdsLine)

/** @param {Element} element */
const markOf = (element) =>
  schema.mark('element', { tag: element.localName, attributes: attributesOf(element), key: nextKey() })

/** @param {Iterable<Node>} nodes @param {readonly any[]} marks @returns {any[]} */
function piecesOf(nodes, marks) {
  const found = []
  for (const node of nodes) {
    if (node.nodeType === Node.TEXT_NODE) {
      if (node.nodeValue) found.push(schema.text(node.nodeValue, marks))
      continue
    }
    if (node.nodeType !== Node.ELEMENT_NODE) continue
    const element = /** @type {Element} */ (node)
    const inside = VOID.has(element.localName) ? [] : piecesOf(element.childNodes, [...marks, markOf(element)])
    if (inside.length) found.push(...inside)
    else found.push(schema.node('piece', { html: writeNode(node) }, null, marks))
  }
  return found
}

/** @param {Iterable<Node>} nodes @returns {{lead: string, trail: string, pieces: any[]}} */
function lettersOf(nodes) {
  const pieces = piecesOf(nodes, [])
  const cut = (/** @type {number} */ at, /** @type {RegExp} */ blank) => {
    const text = pieces.at(at)
    if (!text?.isText || text.marks.length) return ''
    const [found] = blank.exec(text.text) ?? ['']
    const rest = text.text.replace(blank, '')
    pieces.splice(at, 1, ...(rest ? [schema.text(rest)] : []))
    return found
  }
  const lead = cut(0, /^[ \t\n\f\r]+/)
  return { lead, trail: cut(-1, /[ \t\n\f\r]+$/), pieces }
}

/** @param {Iterable<Node>} nodes @returns {{lines: any[], after: string}} */
function linesOf(nodes) {
  /** @type {any[]} */
  const lines = []
  /** @type {Node[]} */
  let bare = []
  let before = ''
  const end = () => {
    const isBlank = bare.every((node) => node.nodeType === Node.TEXT_NODE && BLANK.test(node.nodeValue ?? ''))
    if (isBlank) before += bare.map(writeNode).join('')
    else {
      const { pieces, ...around } = lettersOf(bare)
      lines.push(schema.node('line', { tag: '', before, ...around }, pieces))
      before = ''
    }
    bare = []
  }
  for (const node of nodes) {
    if (!holdsLine(node)) {
      bare.push(node)
      continue
    }
    end()
    lines.push(lineOf(/** @type {Element} */ (node), before))
    before = ''
  }
  end()
  return { lines, after: before }
}

/** @param {Element} element @param {string} before */
function lineOf(element, before) {
  const tag = element.localName
  if (!LINES.has(tag) || WHOLE.has(tag)) return schema.node('whole', { html: writeNode(element), before })
  const attrs = { tag, attributes: attributesOf(element), before }
  const children = [...element.childNodes]
  if (!children.some(holdsLine)) {
    const { pieces, ...around } = lettersOf(children)
    return schema.node('line', { ...attrs, ...around }, pieces)
  }
  const { lines, after } = linesOf(children)
  return schema.node('box', { ...attrs, after }, lines)
}

/**
 * Read the content of an element: as lines, or as one phrase.
 * @param {Node} element
 */
export function readInside(element) {
  const children = [...element.childNodes]
  if (!children.some(holdsLine)) {
    const { pieces, ...around } = lettersOf(children)
    return schema.node('phrase', around, pieces)
  }
  const { lines, after } = linesOf(children)
  return schema.node('lines', { after }, lines)
}

/** The text of HTML on one line, with blanks between its lines. @param {string} html */
export function textOf(html) {
  const root = parse(html)
  for (const each of root.querySelectorAll('*'))
    if (LINES.has(each.localName) || each.localName === 'br') each.after(' ')
  return (root.textContent ?? '').replace(/\s+/g, ' ').trim()
}

/** @param {any} node @returns {string} */
function writeLetters(node) {
  let html = ''
  /** @type {any[]} */
  const open = []
  const close = (/** @type {number} */ depth) => {
    while (open.length > depth) html += closing(open.pop().attrs.tag)
  }
  node.content.forEach((/** @type {any} */ piece) => {
    let depth = 0
    while (depth < open.length && depth < piece.marks.length && open[depth].eq(piece.marks[depth])) depth += 1
    close(depth)
    for (const mark of piece.marks.slice(depth)) {
      html += opening(mark.attrs.tag, mark.attrs.attributes)
      open.push(mark)
    }
    html += piece.isText ? escapeText(piece.text) : piece.attrs.html
  })
  close(0)
  return node.attrs.lead + html + node.attrs.trail
}

/** @param {any} node @returns {string} */
function writeBlock(node) {
  const { before, after = '', tag, attributes } = node.attrs
  if (node.type.name === 'whole') return before + node.attrs.html
  const inside = node.type.name === 'line' ? writeLetters(node) : writeBlocks(node)
  return `${before}${opening(tag, attributes)}${inside}${after}${closing(tag)}`
}

/** @param {any} node */
function writeBlocks(node) {
  let html = ''
  node.content.forEach((/** @type {any} */ child) => {
    html += writeBlock(child)
  })
  return html
}

/**
 * Serialise a document as HTML.
 * @param {any} document @returns {string}
 */
export const writeInside = (document) =>
  document.type.name === 'phrase' ? writeLetters(document) : writeBlocks(document) + document.attrs.after

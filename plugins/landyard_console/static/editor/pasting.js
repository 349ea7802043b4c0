// What comes from the clipboard, without all that a text need not have.

import { parse, readInside } from './markup.js'

const KEPT = new Set([
  'a', 'abbr', 'b', 'blockquote', 'br', 'code', 'del', 'em', 'h2', 'h3', 'h4', 'h5', 'h6', 'i', 'ins', 'kbd', 'li',
  'mark', 'ol', 'p', 's', 'small', 'strong', 'sub', 'sup', 'u', 'ul'
])
const DROPPED = 'script, style, meta, link, title, template, iframe, object, svg, math, noscript, textarea, select'
const BECOMES = new Map([['div', 'p'], ['h1', 'h2'], ['section', 'p'], ['article', 'p']])
const SAFE = /^(?:https?:|mailto:|tel:|\/|#)/i

/** @param {Element} from @param {Element | DocumentFragment} to */
function copy (from, to) {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.append(node.nodeValue?.replace(/[\s\u00a0]+/g, ' ') ?? '')
    if (node.nodeType !== Node.ELEMENT_NODE) continue
    const element = /** @type {Element} */ (node)
    const holdsBlocks = element.querySelector('p, div, li, h1, h2, h3, h4, h5, h6') !== null
    const tag = BECOMES.has(element.localName) && !holdsBlocks ? BECOMES.get(element.localName) : element.localName
    if (!tag || !KEPT.has(tag) || (tag === 'b' && holdsBlocks)) {
      copy(element, to)
      continue
    }
    const made = document.createElement(tag)
    const href = element.getAttribute('href')
    if (tag === 'a' && href && SAFE.test(href)) made.setAttribute('href', href)
    copy(element, made)
    to.append(made)
  }
}

/**
 * Read HTML of the clipboard as a document.
 * @param {string} html
 */
export function readPasted (html) {
  const found = new DOMParser().parseFromString(html, 'text/html')
  for (const each of found.querySelectorAll(DROPPED)) each.remove()
  const clean = document.createDocumentFragment()
  copy(found.body, clean)
  for (const each of [...clean.childNodes]) {
    if (each.nodeType === Node.TEXT_NODE && !each.nodeValue?.trim() && clean.querySelector('p, li')) each.remove()
  }
  return readInside(clean)
}

/**
 * Read plain text of the clipboard as a document: empty lines end a paragraph.
 * @param {string} text @param {boolean} inLines whether it goes among paragraphs
 */
export function readPastedText (text, inLines) {
  const holder = document.createElement('div')
  const paragraphs = inLines ? text.replace(/\r\n?/g, '\n').split(/\n{2,}/) : [text.replace(/\r\n?/g, '\n')]
  for (const paragraph of paragraphs) {
    const into = inLines ? holder.appendChild(document.createElement('p')) : holder
    paragraph.split('\n').forEach((line, at) => into.append(...(at ? [document.createElement('br'), line] : [line])))
  }
  return readInside(parse(holder.innerHTML))
}

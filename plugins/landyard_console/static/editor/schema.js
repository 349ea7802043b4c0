// The ProseMirror schema of a text, which represents any HTML.
//
// Every element keeps its tag and attributes. Elements with text are marks or lines, elements with lines
// are boxes, and all others are kept whole, as HTML.

import { Schema } from '../vendor/prosemirror.js'

/** @typedef {Record<string, string>} Attributes */

/** Elements without an end tag. */
export const VOID = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr'
])

/** Block elements; all others are inline. */
export const LINES = new Set([
  'address',
  'article',
  'aside',
  'blockquote',
  'center',
  'dd',
  'details',
  'div',
  'dl',
  'dt',
  'figcaption',
  'figure',
  'footer',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'header',
  'hgroup',
  'hr',
  'li',
  'main',
  'nav',
  'ol',
  'p',
  'pre',
  'section',
  'summary',
  'table',
  'ul'
])

/** Lines whose content is kept whole. */
export const WHOLE = new Set(['details', 'hr', 'pre', 'table'])

// Invisible white space is stored with elements: `before` an element and `after` its last child, `lead`
// and `trail` around the text of a line.
const OUTSIDE = { before: { default: '' } }
const INSIDE = { lead: { default: '' }, trail: { default: '' } }
const ELEMENT = { tag: { default: 'p' }, attributes: { default: {} } }
const LETTERS = '(text | piece)*'
const BLOCKS = '(line | box | whole)+'

/** @param {any} node */
const drawn = (node) => [node.attrs.tag || 'div', node.attrs.attributes, 0]

/** @param {string} html @param {string} tag */
function kept(html, tag) {
  const holder = document.createElement(tag)
  holder.setAttribute('data-kept', '')
  holder.contentEditable = 'false'
  holder.innerHTML = html
  return holder
}

/** @param {any} node */
function drawnPiece(node) {
  const broken = /^<(br|wbr)\b/.exec(node.attrs.html)
  return broken ? [broken[1]] : kept(node.attrs.html, 'span')
}

/** A line without a tag is a text node among other lines. @type {any} */
export const schema = new Schema({
  topNode: 'lines',
  nodes: {
    lines: { content: BLOCKS, attrs: { after: { default: '' } } },
    phrase: { content: LETTERS, attrs: INSIDE, whitespace: 'pre' },
    line: {
      content: LETTERS,
      attrs: { ...ELEMENT, ...OUTSIDE, ...INSIDE },
      defining: true,
      whitespace: 'pre',
      toDOM: drawn
    },
    box: { content: BLOCKS, attrs: { ...ELEMENT, ...OUTSIDE, after: { default: '' } }, defining: true, toDOM: drawn },
    whole: {
      attrs: { html: { default: '<hr>' }, ...OUTSIDE },
      atom: true,
      toDOM: (/** @type {any} */ node) => kept(node.attrs.html, 'div')
    },
    piece: { attrs: { html: { default: '<br>' } }, inline: true, atom: true, toDOM: drawnPiece },
    text: { inline: true }
  },
  marks: {
    // One mark type for all inline elements, so that their nesting order is kept.
    // `key` separates consecutive elements.
    element: {
      attrs: { ...ELEMENT, key: { default: 0 } },
      excludes: '',
      toDOM: (/** @type {any} */ mark) => [mark.attrs.tag, mark.attrs.attributes, 0]
    }
  }
})

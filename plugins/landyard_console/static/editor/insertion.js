// The insertion of pasted content: text at the caret, blocks between the text before and after it.

import { Fragment, Slice, TextSelection } from '../vendor/prosemirror.js'
import { schema } from './schema.js'

const { line, box, lines, piece, whole } = schema.nodes
const LIST = /^[uo]l$/

/** @param {any} node */
const isParagraph = (node) => node.type === line && (node.attrs.tag === 'p' || node.attrs.tag === '')

/**
 * Replace the selection by content from the clipboard.
 * @param {any} read a document
 */
export function insert(read) {
  return (/** @type {any} */ state, /** @type {any} */ dispatch) => {
    if (state.selection.node) {
      dispatch?.(inPlaceOf(state, read.type === lines ? read.content : line.create(null, read.content)))
      return true
    }
    const isOfLines = state.doc.type === lines
    const isOneParagraph = read.type !== lines || (read.childCount === 1 && isParagraph(read.firstChild))
    dispatch?.(
      (isOfLines && !isOneParagraph
        ? insertBlocks(state, read)
        : state.tr.replaceSelection(phraseOf(read))
      ).scrollIntoView()
    )
    return true
  }
}

/** Replace a block that is kept whole, such as a table, by blocks. @param {any} state @param {any} blocks */
const inPlaceOf = ({ tr, selection: { from, to } }, blocks) => tr.replaceWith(from, to, blocks).scrollIntoView()

/** Insert text typed while a table is selected after it. @param {any} state @param {any} dispatch @param {string} text */
export function typeBehind(state, dispatch, text) {
  const { selection, tr } = state
  if (selection.node?.type !== whole) return false
  tr.insert(selection.to, line.create(null, schema.text(text)))
  dispatch?.(tr.setSelection(TextSelection.create(tr.doc, selection.to + 1 + text.length)).scrollIntoView())
  return true
}

/** Turn a phrase into a text of lines, if its element can contain them. @param {any} document */
export function asLines(document) {
  const { content, attrs } = document
  return lines.create(null, line.create({ tag: 'p', lead: attrs.lead, trail: attrs.trail }, content))
}

/** All text on one line, with line breaks between former lines. @param {any} read */
function phraseOf(read) {
  /** @type {any[]} */
  const pieces = []
  const collect = (/** @type {any} */ node) => {
    if (node.isTextblock) {
      if (pieces.length) pieces.push(piece.create())
      pieces.push(...node.content.content)
    } else node.forEach(collect)
  }
  collect(read)
  return new Slice(Fragment.fromArray(pieces), 0, 0)
}

/**
 * The innermost element around the selection that can contain any block, not only items.
 * @param {any} state @param {any} read
 */
function depthFor({ selection: { $from, $to } }, read) {
  const onlyLists = [...Array(read.childCount).keys()].every((at) => LIST.test(read.child(at).attrs.tag))
  let depth = $from.sharedDepth($to.pos)
  while (
    depth > 0 &&
    ($from.node(depth).type === line ||
      (LIST.test($from.node(depth).attrs.tag) && !onlyLists) ||
      $from.node(depth).attrs.tag === 'li')
  )
    depth -= 1
  return depth
}

/** @param {any} state @param {any} read a text of lines */
function insertBlocks(state, read) {
  const {
    tr,
    selection: { $from, $to }
  } = state
  if (!$from.depth) return insteadOfAll(state, read)
  const depth = depthFor(state, read)
  const around = $from.node(depth)
  /** @type {any[]} */
  let blocks = [...read.content.content]
  if (LIST.test(around.attrs.tag)) blocks = blocks.flatMap((each) => each.content.content)
  const [first, last] = [$from.index(depth), $to.index(depth)]
  const [start, end] = [$from.start(depth + 1), $to.start(depth + 1)]
  const head = around.child(first)
  let left = pruned(head.cut(0, $from.pos - start))
  let right = pruned(around.child(last).cut($to.pos - end))
  if (!left && blocks[0]) blocks[0] = withAttribute(blocks[0], 'before', head.attrs.before)
  if (left && isParagraph(left) && isParagraph(blocks[0])) {
    left = left.copy(left.content.append(blocks[0].content))
    blocks.shift()
  }
  let within = 0
  const final = blocks.at(-1)
  if (right && final && isParagraph(right) && isParagraph(final)) {
    within = right.content.size
    right = right.copy(final.content.append(right.content))
    blocks.pop()
  } else right = right && withAttribute(right, 'before', '')
  const made = [...(left ? [left] : []), ...blocks, ...(right ? [right] : [])]
  const from = $from.before(depth + 1)
  tr.replaceWith(from, $to.after(depth + 1), Fragment.fromArray(made))
  const size = made.reduce((sum, each) => sum + each.nodeSize, 0)
  const behind = from + size - (right ? right.nodeSize : 0)
  // After the last pasted letter: in the continued line, or at the end of the last block.
  const at = within || (right && !blocks.includes(final)) ? from + size - 1 - within : behind
  tr.setSelection(caretAt(tr.doc, Math.min(at, tr.doc.content.size)))
  return tr
}

/** Replace a completely selected text. @param {any} state @param {any} read */
function insteadOfAll({ tr, doc }, read) {
  const [first, ...rest] = read.content.content
  tr.replaceWith(
    0,
    doc.content.size,
    Fragment.fromArray([withAttribute(first, 'before', doc.firstChild.attrs.before), ...rest])
  )
  return tr.setSelection(caretAt(tr.doc, tr.doc.content.size))
}

/** Put the caret into a text, so that the next key does not replace a pasted table. @param {any} document @param {number} at */
function caretAt(document, at) {
  const place = document.resolve(at)
  const isWhole = place.nodeBefore?.type === whole
  const [first, second] = isWhole ? [1, -1] : [-1, 1]
  return (
    TextSelection.findFrom(place, first, true) ??
    TextSelection.findFrom(place, second, true) ??
    TextSelection.near(place)
  )
}

/** The rest of a block without empty lines; null if nothing is left. @param {any} node @returns {any} */
function pruned(node) {
  if (node.type !== box) return node.type !== line || node.content.size ? node : null
  /** @type {any[]} */
  const kept = []
  node.forEach((/** @type {any} */ child) => {
    const left = pruned(child)
    if (left) kept.push(left)
  })
  return kept.length ? node.copy(Fragment.fromArray(kept)) : null
}

/** @param {any} node @param {string} name @param {string} value */
const withAttribute = (node, name, value) =>
  node.type.create({ ...node.attrs, [name]: value }, node.content, node.marks)

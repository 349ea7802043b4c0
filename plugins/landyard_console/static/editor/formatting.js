// The formatting commands of a text: bold, italic, links, line breaks, lists.

import { splitBlockAs, TextSelection } from '../vendor/prosemirror.js'
import { nextKey } from './markup.js'
import { schema } from './schema.js'

const { element } = schema.marks
const { line, box, piece } = schema.nodes

/** Elements with the same appearance; the first of each group is used for new ones. */
export const FORMATS = {
  bold: ['strong', 'b'],
  italic: ['em', 'i'],
  underline: ['u', 'ins'],
  strike: ['s', 'del', 'strike']
}

/** @param {string} tag @param {Record<string, string>} [attributes] */
const newMark = (tag, attributes = {}) => element.create({ tag, attributes, key: nextKey() })

/** @param {any} node @param {readonly string[]} tags */
const marksOf = (node, tags) => node.marks.filter((/** @type {any} */ mark) => tags.includes(mark.attrs.tag))

/** The marks with these tags in the selection. @param {any} state @param {readonly string[]} tags @returns {any[]} */
export function marksAt(state, tags) {
  const { from, to, empty, $from } = state.selection
  if (empty)
    return (state.storedMarks ?? $from.marks()).filter((/** @type {any} */ mark) => tags.includes(mark.attrs.tag))
  /** @type {any[]} */
  let found = []
  let isEverywhere = true
  state.doc.nodesBetween(from, to, (/** @type {any} */ node) => {
    if (!node.isInline) return
    const marks = marksOf(node, tags)
    isEverywhere &&= marks.length > 0
    found = [...found, ...marks]
  })
  return isEverywhere ? [...new Set(found)] : []
}

/** @param {readonly string[]} tags */
export function toggle(tags) {
  return (/** @type {any} */ state, /** @type {any} */ dispatch) => {
    const { from, to, empty } = state.selection
    const there = marksAt(state, tags)
    const { tr } = state
    if (empty) {
      for (const mark of there) tr.removeStoredMark(mark)
      if (!there.length) tr.addStoredMark(newMark(tags[0]))
    } else {
      for (const mark of there) tr.removeMark(from, to, mark)
      if (!there.length) tr.addMark(from, to, newMark(tags[0]))
    }
    dispatch?.(tr)
    return true
  }
}

/** The start and end of a mark around the caret. @param {any} state @param {any} mark @returns {[number, number]} */
function reachOf(state, mark) {
  const { $from } = state.selection
  let from = -1
  let to = -1
  $from.parent.forEach((/** @type {any} */ node, /** @type {number} */ offset) => {
    if (!mark.isInSet(node.marks)) return
    const start = $from.start() + offset
    if (from < 0) from = start
    to = start + node.nodeSize
  })
  return [from, to]
}

/** The link at the caret. @param {any} state @returns {{mark: any, from: number, to: number} | null} */
export function linkAt(state) {
  const [mark] = marksAt(state, ['a'])
  if (!mark) return null
  const [from, to] = reachOf(state, mark)
  return from < 0 ? null : { mark, from, to }
}

/**
 * Set, change or (with an empty address) remove the link of the selection.
 * @param {string} href @param {boolean} inNewTab
 */
export function setLink(href, inNewTab) {
  return (/** @type {any} */ state, /** @type {any} */ dispatch) => {
    const there = linkAt(state)
    const { from, to } = there ?? state.selection
    const { tr } = state
    if (there) tr.removeMark(from, to, there.mark)
    if (href) {
      /** @type {Record<string, string>} */
      const attributes = { ...there?.mark.attrs.attributes, href }
      delete attributes.target
      if (inNewTab) attributes.target = '_blank'
      if (from === to) tr.insert(from, schema.text(href, [newMark('a', attributes)]))
      else tr.addMark(from, to, newMark('a', attributes))
    }
    dispatch?.(tr.scrollIntoView())
    return true
  }
}

/** Remove all formatting of the selection. @param {any} state @param {any} dispatch */
export function clearFormatting(state, dispatch) {
  const { from, to } = state.selection
  dispatch?.(state.tr.removeMark(from, to))
  return true
}

/** @param {any} state @param {any} dispatch */
export function breakLine(state, dispatch) {
  dispatch?.(state.tr.replaceSelectionWith(piece.create(), true).scrollIntoView())
  return true
}

/** @param {any} state @param {any} dispatch */
export function newLine(state, dispatch) {
  const { $from, empty } = state.selection
  if ($from.parent.type !== line) return breakLine(state, dispatch)
  if (empty && !$from.parent.content.size && $from.parent.attrs.tag === 'li') return leaveList(state, dispatch)
  return splitBlockAs((/** @type {any} */ node, /** @type {boolean} */ atEnd) => {
    const isHeading = /^h[1-6]$/.test(node.attrs.tag)
    const attrs = { ...node.attrs, lead: '', trail: '' }
    return { type: line, attrs: atEnd && isHeading ? { ...attrs, tag: 'p', attributes: {} } : attrs }
  })(state, dispatch)
}

/** Enter in an empty item ends its list and starts a paragraph after it. @param {any} state @param {any} dispatch */
function leaveList(state, dispatch) {
  const { $from } = state.selection
  if ($from.depth < 2) return false
  const list = $from.node(-1)
  const isLast = $from.index(-1) === list.childCount - 1
  if (!isLast || list.childCount === 1) return false
  const { tr } = state
  tr.delete($from.before(), $from.after())
  const behind = tr.mapping.map($from.after(-1))
  tr.insert(behind, line.create({ tag: 'p' }))
  tr.setSelection(TextSelection.create(tr.doc, behind + 1))
  dispatch?.(tr.scrollIntoView())
  return true
}

/** The list around the caret. @param {any} state @returns {any} */
export function listAt(state) {
  const { $from } = state.selection
  const around = $from.depth > 1 ? $from.node(-1) : null
  return around && ['ul', 'ol'].includes(around.attrs.tag) ? around : null
}

/** Turn paragraphs into a list, a list into another kind, or back into paragraphs. @param {'ul' | 'ol'} tag */
export function toggleList(tag) {
  return (/** @type {any} */ state, /** @type {any} */ dispatch) => {
    const { $from, $to } = state.selection
    if ($from.parent.type !== line) return false
    const { tr } = state
    const list = listAt(state)
    if (list && list.attrs.tag !== tag) tr.setNodeMarkup($from.before(-1), box, { ...list.attrs, tag })
    else if (list) {
      const lines = asLines(list, 'p')
      tr.replaceWith($from.before(-1), $from.after(-1), lines)
    } else {
      const range = $from.blockRange($to, (/** @type {any} */ node) => node.type !== line)
      if (!range) return false
      /** @type {any[]} */
      const items = []
      for (let at = range.startIndex; at < range.endIndex; at += 1) items.push(range.parent.child(at))
      if (items.some((each) => each.type !== line)) return false
      const inside = items.map((each) => line.create({ ...each.attrs, tag: 'li', before: '' }, each.content))
      tr.replaceRangeWith(range.start, range.end, box.create({ tag, before: items[0].attrs.before }, inside))
    }
    const at = Math.min(state.selection.from, tr.doc.content.size)
    tr.setSelection(TextSelection.near(tr.doc.resolve(at)))
    dispatch?.(tr.scrollIntoView())
    return true
  }
}

/** @param {any} list @param {string} tag */
function asLines(list, tag) {
  /** @type {any[]} */
  const lines = []
  list.forEach((/** @type {any} */ item) => {
    if (item.type === line) lines.push(line.create({ ...item.attrs, tag }, item.content))
    else lines.push(...item.content.content)
  })
  return lines
}

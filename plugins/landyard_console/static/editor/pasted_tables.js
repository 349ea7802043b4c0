// The tables in pasted content: data tables are kept, layout tables are not.

import { inside } from './emphasis.js'
import { blocksOf, fill, isEmpty, unbolded } from './pasting.js'

/** @typedef {import('./pasting.js').Reader} Reader @typedef {import('./emphasis.js').Emphasis} Emphasis */

/** The cells of a table itself, not of a nested one. @param {Element} table @param {string} tags */
const own = (table, tags) => [...table.querySelectorAll(tags)].filter((each) => each.closest('table') === table)

/** @param {Reader} reader @param {Element} table @param {Emphasis} emphasis @returns {import('./pasting.js').Part[]} */
export function tableOf(reader, table, emphasis) {
  const rows = own(table, 'tr').filter((row) => !isHidden(reader, row, table))
  const cells = rows.map((row) =>
    [...row.children].filter((cell) => /^t[dh]$/.test(cell.localName) && !reader.styles.of(cell).hidden)
  )
  const isFrame =
    table.querySelector('table') !== null ||
    /^(?:presentation|none)$/.test(table.getAttribute('role') ?? '') ||
    cells.every((row) => row.length < 2)
  const within = (/** @type {Element} */ cell) => inheritedIn(reader, cell, table, emphasis)
  if (isFrame) return frameOf(reader, cells, within)
  const runs = cells.map((row) => row.map((cell) => ({ cell, runs: reader.runsIn(cell, within(cell)) })))
  const caption = own(table, 'caption')[0]
  const title = caption ? reader.runsIn(caption, emphasis) : []
  const end = { text: '\n', emphasis }
  if (!reader.inLines)
    return [
      ...title,
      end,
      ...runs.flatMap((row) => [...row.flatMap((each) => [...each.runs, { text: ' ', emphasis }]), end])
    ]
  const made = document.createElement('table')
  const body = document.createElement('tbody')
  for (const row of runs) {
    const line = document.createElement('tr')
    for (const each of row) line.append(cellOf(each.cell, each.runs))
    if (row.length) body.append(line)
  }
  if (!isEmpty(title)) made.append(fill(document.createElement('caption'), title))
  made.append(body)
  return [made]
}

/** Flatten a layout table, or one column, to its cells below each other. @param {Reader} reader @param {Element[][]} cells @param {(cell: Element) => Emphasis} within */
function frameOf(reader, cells, within) {
  const flat = cells.flat()
  const found = flat.map((cell) => reader.partsIn(cell, within(cell)))
  const isPhrase = flat.length === 1 && found[0].every((part) => 'emphasis' in part)
  return isPhrase ? found[0] : found.flatMap(blocksOf)
}

/** @param {Element} cell @param {import('./pasting.js').Run[]} runs */
function cellOf(cell, runs) {
  const tag = cell.localName
  const made = fill(document.createElement(tag), isEmpty(runs) ? [] : tag === 'th' ? unbolded(runs) : runs)
  for (const name of ['colspan', 'rowspan']) {
    const value = Number(cell.getAttribute(name))
    if (Number.isInteger(value) && value > 1) made.setAttribute(name, String(value))
  }
  return made
}

/** The emphasis of a cell, including its row's and group's. @param {Reader} reader @param {Element} cell @param {Element} table @param {Emphasis} emphasis */
function inheritedIn(reader, cell, table, emphasis) {
  /** @type {Element[]} */
  const around = []
  for (let at = /** @type {Element | null} */ (cell); at && at !== table; at = at.parentElement) around.unshift(at)
  return around.reduce((found, each) => inside(each, reader.styles.of(each), found), emphasis)
}

/** @param {Reader} reader @param {Element} row @param {Element} table */
function isHidden(reader, row, table) {
  for (let at = /** @type {Element | null} */ (row); at && at !== table; at = at.parentElement)
    if (reader.styles.of(at).hidden) return true
  return false
}

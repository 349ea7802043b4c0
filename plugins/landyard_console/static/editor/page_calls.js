// Calls on the whole page, made at once and undone by call, because the page's history has edits of
// blocks only.

import { newKey } from '../call.js'
import { Refused } from './calls.js'
import { t, timeText } from './dom.js'
import { isPublic, viewLink } from './publication_state.js'

/**
 * @typedef {import('./editor.js').Editor} Editor
 * @typedef {{id: string, at: string, user: number, method: string, undone_by: string | null, can_be_undone: boolean}} Kept
 * @typedef {{table: string, id: unknown, columns: string[], calls: {method: string, user: number, at: string}[]}} Row a row changed since
 */

/** The methods on the page itself; edits of blocks are in its history. */
const OF_PAGE = /^landing\.landing\.(?:publication|unpublic|update|move|markDelete|markUnDelete)$/
/** Groups of methods that change the same part of a page. */
const ALIKE = [/\.(?:publication|unpublic)$/, /\.mark(?:Un)?Delete$/]
/** The names of a page's columns. */
const NAMED = new Map([
  ['title', 'undone.title'],
  ['code', 'undone.code']
])
const MOST_ASKED = 4
/** Milliseconds between an edit and its call, because the history has whole seconds. */
const APART = 1500

/**
 * Make a call after all waiting changes are saved; resolves to its id, for undo, and its result. Throws like `Calls.envelope`.
 * @param {Editor} editor @param {string} method @param {Record<string, any>} params @returns {Promise<{id: string, result: any}>}
 */
export async function make(editor, method, params) {
  await editor.queue.flush()
  const entry = { key: newKey(), method, params }
  const envelope = await editor.calls.envelope(method, params, { key: entry.key })
  editor.log.add(entry, envelope)
  return { id: entry.key, result: envelope.result }
}

/**
 * Show a notice of a call, with an undo button.
 * @param {Editor} editor @param {string} text @param {string} id @param {string} method
 */
export const offerUndo = (editor, text, id, method) =>
  editor.bar?.notice.show(text, t('bar.undo'), () => undo(editor, id, method), viewLink(editor.standing))

/**
 * Undo a call, and offer to redo it.
 * @param {Editor} editor @param {string} id @param {string} method @param {boolean} [again] whether it was an undo itself
 */
export async function undo(editor, id, method, again = false) {
  try {
    const { result } = await make(editor, 'landyard.call.undo', { id })
    await editor.pageChanged()
    const text = undoneText(editor, method, again)
    if (again) offerUndo(editor, text, result.id, method)
    else
      editor.bar?.notice.show(
        text,
        t('bar.redo'),
        () => undo(editor, result.id, method, true),
        viewLink(editor.standing)
      )
  } catch (error) {
    if (error instanceof Refused) await editor.pageChanged().catch(() => null)
    editor.bar?.notice.refuse(await whyNot(editor, error))
  }
}

/** The text about the page after an undo or redo. @param {Editor} editor @param {string} method @param {boolean} again */
function undoneText({ standing }, method, again) {
  const key = `${again ? 'again' : 'undone'}.${shortOf(method)}`
  const text = t(key === 'undone.publication' && isPublic(standing) ? 'undone.publication_before' : key)
  return text === key ? t(again ? 'again.edit' : 'undone.edit') : text
}

/**
 * The ids of calls that can be undone now. Of publishing, as of the trash, only the latest can, as the others were superseded.
 * @param {Kept[]} kept the latest first @returns {Set<string>}
 */
export function undoable(kept) {
  const standing = kept.filter((each) => !each.undone_by)
  const isLatest = (/** @type {Kept} */ each) => {
    const alike = ALIKE.find((methods) => methods.test(each.method))
    return !alike || standing.find((other) => alike.test(other.method)) === each
  }
  return new Set(standing.filter((each) => each.can_be_undone && isLatest(each)).map((each) => each.id))
}

/** Whether a call is on the whole page, not on a block. @param {Kept} kept */
export const isOfPage = (kept) => OF_PAGE.test(kept.method)

/**
 * The stored call that made an edit and can be undone; null if several match.
 * @param {{method: string, user: number, date: string}} edit @param {Kept[]} kept
 */
export function callOf({ method, user, date }, kept) {
  const found = kept.filter(
    (each) =>
      each.method.toLowerCase() === method.toLowerCase() &&
      each.user === user &&
      Math.abs(Date.parse(each.at) - Date.parse(date)) < APART
  )
  return found.length === 1 && found[0].can_be_undone && !found[0].undone_by ? found[0] : null
}

/** Fetch the stored calls on the page and its blocks, the latest first. @param {Editor} editor @returns {Promise<Kept[]>} */
export async function listKept(editor) {
  /** @type {Kept[]} */
  const found = []
  for (let start = 0, asked = 0; start !== undefined && asked < MOST_ASKED; asked += 1) {
    const answer = await editor.calls.envelope('landyard.call.list', { subject: `page:${editor.page}`, start })
    found.push(...answer.result)
    start = answer.next
  }
  return found
}

/** @param {string} method */
const shortOf = (method) => method.split('.').at(-1)?.toLowerCase() ?? ''

/** The description of a method for users. @param {string} method */
export function didText(method) {
  const key = `did.${shortOf(method)}`
  const text = t(key)
  return text === key ? method : text
}

/** The reason why a call was not undone: what has changed since, and by whom. @param {Editor} editor @param {any} error */
async function whyNot(editor, error) {
  if (!(error instanceof Refused)) return t('away')
  if (error.code === 'CALL_NOT_KEPT') return t('undone.not_kept')
  if (error.code !== 'UNDO_CONFLICT') return error.message
  /** @type {Row[]} */
  const rows = error.body.error_data?.rows ?? []
  await editor.presence.learn(rows.flatMap((row) => row.calls.map((each) => each.user)))
  const reasons = new Set(rows.map((row) => sinceText(editor, row)))
  return t('undone.conflict', { since: [...reasons].join('; ') })
}

/** @param {Editor} editor @param {Row} row */
function sinceText(editor, { table, id, columns, calls }) {
  const name = (table === 'landing_block' && editor.draft.find(String(id))?.name) || whatText(table, columns)
  const by = calls.map((each) =>
    t('undone.by', {
      what: didText(each.method),
      who: editor.presence.nameOf(String(each.user)),
      when: timeText(new Date(each.at))
    })
  )
  return by.length ? `${name} (${by.join(', ')})` : name
}

/** @param {string} table @param {string[]} columns */
function whatText(table, columns) {
  if (table === 'landing_page')
    return columns.map((each) => t(NAMED.get(each) ?? 'undone.page')).join(', ') || t('undone.page')
  return t(table === 'landing_block' ? 'undone.shown' : 'undone.other')
}

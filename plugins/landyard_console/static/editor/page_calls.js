// Calls about the whole page: made at once, and undone by themselves, for the page's history has edits of blocks alone.

import { newKey } from '../call.js'
import { Refused } from './calls.js'
import { t, timeText } from './dom.js'
import { isPublic, viewLink } from './standing.js'

/**
 * @typedef {import('./editor.js').Editor} Editor
 * @typedef {{id: string, at: string, user: number, method: string, undone_by: string | null, can_be_undone: boolean}} Kept
 * @typedef {{table: string, id: unknown, columns: string[], calls: {method: string, user: number, at: string}[]}} Row what has changed since
 */

/** What is told of the page itself; blocks are in its history. */
const OF_PAGE = /^landing\.landing\.(?:publication|unpublic|update|move|markDelete|markUnDelete)$/
/** Calls that change the same of a page. */
const ALIKE = [/\.(?:publication|unpublic)$/, /\.mark(?:Un)?Delete$/]
/** What columns of a page are called. */
const NAMED = new Map([
  ['title', 'undone.title'],
  ['code', 'undone.code']
])
const MOST_ASKED = 4
/** Milliseconds between an edit and its call: the history tells whole seconds. */
const APART = 1500

/**
 * Make a call once all that waits is saved; answers its id, to be undone by, and its result. Raises as `Calls.envelope`.
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
 * Tell of a call that was made, and offer to undo it.
 * @param {Editor} editor @param {string} text @param {string} id @param {string} method
 */
export const offerUndo = (editor, text, id, method) =>
  editor.bar?.notice.show(text, t('bar.undo'), () => undo(editor, id, method), viewLink(editor.standing))

/**
 * Undo a call, and offer to take that back in turn.
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

/** What the page is after an undo, or after that was taken back. @param {Editor} editor @param {string} method @param {boolean} again */
function undoneText({ standing }, method, again) {
  const key = `${again ? 'again' : 'undone'}.${shortOf(method)}`
  const text = t(key === 'undone.publication' && isPublic(standing) ? 'undone.publication_before' : key)
  return text === key ? t(again ? 'again.edit' : 'undone.edit') : text
}

/**
 * The ids of calls that can be undone as the page is now. Of publishing, as of the trash, the latest alone can: the rest was changed since.
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

/** Whether a call is about the whole page, and not about a block. @param {Kept} kept */
export const isOfPage = (kept) => OF_PAGE.test(kept.method)

/**
 * The call that made an edit of a block, where it is kept and can be undone; null where several could be meant.
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

/** Find the calls about the page and its blocks that are kept, the latest first. @param {Editor} editor @returns {Promise<Kept[]>} */
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

/** What a method did, in people's words. @param {string} method */
export function didText(method) {
  const key = `did.${shortOf(method)}`
  const known = t(key)
  return known === key ? method : known
}

/** Why a call was not undone: with the names of what has changed since, and who changed it. @param {Editor} editor @param {any} error */
async function whyNot(editor, error) {
  if (!(error instanceof Refused)) return t('away')
  if (error.code === 'CALL_NOT_KEPT') return t('undone.not_kept')
  if (error.code !== 'UNDO_CONFLICT') return error.message
  /** @type {Row[]} */
  const rows = error.body.error_data?.rows ?? []
  await editor.presence.learn(rows.flatMap((row) => row.calls.map((each) => each.user)))
  const told = new Set(rows.map((row) => sinceText(editor, row)))
  return t('undone.conflict', { since: [...told].join('; ') })
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

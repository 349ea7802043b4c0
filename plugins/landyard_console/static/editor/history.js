// The page's history by time: changes with their time and author, and undo where possible.

import { Refused } from './calls.js'
import { dialog, h, t, timeText } from './dom.js'
import { callOf, didText, isOfPage, listKept, undo, undoable } from './page_calls.js'
import { areHalves } from './paired_moves.js'

/**
 * @typedef {{what: string, name: string, before: string, after: string}} Change
 * @typedef {import('./paired_moves.js').Edit & {name: string, changes: Change[]}} Edit
 * @typedef {import('./page_calls.js').Kept} Kept
 * @typedef {import('./editor.js').Editor} Editor
 * @typedef {{way: 'undo' | 'redo' | 'alone', act: () => void}} Act
 */

/** @param {Editor} editor */
export async function showHistory(editor) {
  const status = h('p', { class: 'ed-hint', role: 'status' }, t('loading'))
  const list = h('ol', { class: 'ed-history' })
  const box = dialog(t('history.title'), [status, list], { wide: true })
  const step = async (/** @type {'undo' | 'redo'} */ way) => {
    editor[way]()
    await editor.queue.flush()
    await draw()
    const button = /** @type {HTMLElement | null} */ (
      list.querySelector(`[data-way="${way}"]`) ?? list.querySelector('[data-way]')
    )
    button?.focus()
  }
  const draw = async () => {
    try {
      const [edits, kept] = await Promise.all([
        editor.calls.call('landing.landing.history.getList', { lid: editor.page, get_changes: true }),
        listKept(editor).catch(() => [])
      ])
      await editor.presence.learn([...edits, ...kept].map(({ user }) => user))
      const alone = (/** @type {Edit} */ edit) => {
        const call = callOf(edit, kept)
        return (
          call &&
          (() => {
            box.close()
            undo(editor, call.id, call.method)
          })
        )
      }
      const rows = [
        ...editRows(editor, edits, step, alone),
        ...callRows(editor, kept.filter(isOfPage), () => box.close())
      ].sort((one, other) => other.at - one.at)
      status.textContent = rows.length ? t('history.hint') : t('history.none')
      list.replaceChildren(...rows.map(({ row }) => row))
    } catch (error) {
      status.textContent = error instanceof Refused ? error.message : t('away')
    }
  }
  await draw()
}

/**
 * A line for each edit. The latest can be undone, and the last undone one redone; any other is undone separately, by its call.
 * @param {Editor} editor @param {Edit[]} edits the latest first @param {(way: 'undo' | 'redo') => void} step
 * @param {(edit: Edit) => (() => void) | null} alone
 */
function editRows(editor, edits, step, alone) {
  const undone = edits.findLastIndex((edit) => edit.undone)
  const [last, next] = [edits.find((edit) => !edit.undone), edits[undone]]
  const actOf = (/** @type {Edit[]} */ halves) => {
    /** @type {'undo' | 'redo' | null} */
    const way = last && halves.includes(last) ? 'undo' : next && halves.includes(next) ? 'redo' : null
    return way ? { way, act: () => step(way) } : null
  }
  return edits.flatMap((edit, at) => {
    const isFirstHalf = areHalves(edit, edits[at - 1]) && edit.undone === edits[at - 1].undone
    const isLastHalf = areHalves(edits[at + 1], edit) && edit.undone === edits[at + 1].undone
    if (isFirstHalf) return []
    const only = isLastHalf || edit.undone ? null : alone(edit)
    const act =
      actOf(isLastHalf ? [edit, edits[at + 1]] : [edit]) ??
      (only && { way: /** @type {'alone'} */ ('alone'), act: only })
    return [
      {
        at: Date.parse(edit.date),
        row: editItem(editor, edit, isLastHalf ? t('did.movetop') : didText(edit.method), act)
      }
    ]
  })
}

/** @param {Editor} editor @param {Edit} edit @param {string} moved the text if it has no changes @param {Act | null} act */
function editItem(editor, edit, moved, act) {
  const block = editor.draft.find(String(edit.block))?.name || edit.name || t('history.gone')
  const [first, ...more] = edit.changes
  const did = first ? changeText(first) : moved
  return h(
    'li',
    { class: edit.undone ? 'ed-off' : '' },
    h(
      'div',
      {},
      h(
        'p',
        {},
        h('span', { class: 'ed-what' }, did),
        ' ',
        h('span', { class: 'ed-hint' }, t('history.in', { block }))
      ),
      first ? excerpt(first) : null,
      ...more.flatMap((change) => [h('p', { class: 'ed-what' }, changeText(change)), excerpt(change)])
    ),
    signed(editor, edit.user, edit.date, edit.undone, did, act)
  )
}

/** A line for each call on the whole page. @param {Editor} editor @param {Kept[]} kept the latest first @param {() => void} close */
function callRows(editor, kept, close) {
  const possible = undoable(kept)
  return kept.map((each) => {
    const did = didText(each.method)
    /** @type {Act | null} */
    const act = possible.has(each.id)
      ? {
          way: 'undo',
          act: () => {
            close()
            undo(editor, each.id, each.method)
          }
        }
      : null
    const row = h(
      'li',
      { class: each.undone_by ? 'ed-of-page ed-off' : 'ed-of-page' },
      h('p', {}, h('span', { class: 'ed-what' }, did), ' ', h('span', { class: 'ed-hint' }, t('history.whole'))),
      signed(editor, each.user, each.at, Boolean(each.undone_by), did, act)
    )
    return { at: Date.parse(each.at), row }
  })
}

/** Author, time, and the possible action. @param {Editor} editor @param {number} user @param {string} at @param {boolean} isUndone @param {string} what @param {Act | null} act */
function signed(editor, user, at, isUndone, what, act) {
  const when = timeText(new Date(at))
  return h(
    'div',
    { class: 'ed-signed' },
    isUndone ? h('span', { class: 'ed-tag' }, t('history.undone')) : null,
    h('span', {}, editor.presence.nameOf(String(user))),
    h('time', { dateTime: at }, when),
    act
      ? h(
          'button',
          {
            type: 'button',
            dataset: act.way === 'alone' ? { alone: '' } : { way: act.way },
            'aria-label': t(`history.${act.way}`, { what, when }),
            onclick: act.act
          },
          t(`bar.${act.way}`)
        )
      : null
  )
}

/** @param {Change} change */
function changeText({ what, name, before, after }) {
  if (what === 'style' && !name) return t('change.block_style')
  const key =
    what === 'cards'
      ? after
        ? before
          ? 'change.cards'
          : 'change.card_added'
        : 'change.card_removed'
      : `change.${what}`
  const text = t(key, { name })
  return text === key ? name || what : text
}

/** @param {Change} change */
const excerpt = ({ before, after }) =>
  before || after
    ? h(
        'p',
        { class: 'ed-excerpt', dir: 'auto' },
        before ? h('del', {}, before) : null,
        before && after ? ' → ' : null,
        after ? h('ins', {}, after) : null
      )
    : null

// The history of the page: what was changed, when and by whom; steps back and forth, and undo for what was done with the whole page.

import { Refused } from './calls.js'
import { dialog, h, t, timeText } from './dom.js'
import { didText, listKept, undo } from './page_calls.js'

/** @typedef {{what: string, name: string, before: string, after: string}} Change */
/** @typedef {import('./editor.js').Editor} Editor */

/** @param {Editor} editor */
export async function showHistory (editor) {
  const told = h('p', { class: 'ed-hint', role: 'status' }, t('loading'))
  const list = h('ol', { class: 'ed-history' })
  const whole = h('section', { class: 'ed-page-calls', hidden: true })
  const step = (/** @type {'undo' | 'redo'} */ way) => async () => {
    editor[way]()
    await editor.queue.flush()
    await draw()
  }
  const box = dialog(t('history.title'), [
    h('div', { class: 'ed-row' }, h('button', { type: 'button', onclick: step('undo') }, t('bar.undo')), h('button', { type: 'button', onclick: step('redo') }, t('bar.redo'))),
    whole, told, list], { wide: true })
  const draw = async () => {
    try {
      const found = await editor.calls.call('landing.landing.history.getList', { lid: editor.page, get_changes: true })
      told.textContent = found.length ? t('history.hint') : t('history.none')
      list.replaceChildren(...found.map((/** @type {any} */ edit) => item(editor, edit)))
    } catch (error) {
      told.textContent = error instanceof Refused ? error.message : t('state.away')
    }
  }
  const drawWhole = async () => {
    const kept = await listKept(editor).catch(() => [])
    whole.hidden = !kept.length
    whole.replaceChildren(h('h3', {}, t('history.page')), h('ol', { class: 'ed-history' }, ...kept.map((each) => callItem(editor, each, () => box.close()))))
  }
  await Promise.all([draw(), drawWhole()])
}

/** @param {Editor} editor @param {any} edit */
function item (editor, edit) {
  const changes = /** @type {Change[]} */ (edit.changes)
  const block = editor.draft.find(String(edit.block))?.name || edit.name || t('history.gone')
  const [first, ...more] = changes
  const did = first ? changeText(first) : didText(edit.method)
  return h('li', { class: edit.undone ? 'ed-off' : '' },
    h('div', {}, h('p', {}, h('span', { class: 'ed-what' }, did), ' ', h('span', { class: 'ed-hint' }, t('history.in', { block }))), first ? excerpt(first) : null,
      ...more.flatMap((change) => [h('p', { class: 'ed-what' }, changeText(change)), excerpt(change)])),
    signed(editor, edit.user, edit.date, edit.undone))
}

/** @param {Editor} editor @param {import('./page_calls.js').Kept} kept @param {() => void} close */
function callItem (editor, kept, close) {
  const did = didText(kept.method)
  const when = timeText(new Date(kept.at))
  const act = () => { close(); undo(editor, kept.id, did) }
  return h('li', { class: kept.undone_by ? 'ed-off' : '' }, h('p', { class: 'ed-what' }, did), signed(editor, kept.user, kept.at, Boolean(kept.undone_by),
    kept.can_be_undone ? h('button', { type: 'button', 'aria-label': t('history.undo', { what: did, when }), onclick: act }, t('bar.undo')) : null))
}

/** Who and when. @param {Editor} editor @param {number} user @param {string} at @param {boolean} isUndone @param {HTMLElement | null} [more] */
const signed = (editor, user, at, isUndone, more = null) => h('div', { class: 'ed-signed' },
  isUndone ? h('span', { class: 'ed-tag' }, t('history.undone')) : null,
  h('span', {}, editor.presence.nameOf(String(user))), h('time', { dateTime: at }, timeText(new Date(at))), more)

/** @param {Change} change */
function changeText ({ what, name, before, after }) {
  if (what === 'style' && !name) return t('change.block_style')
  const key = what === 'cards' ? (after ? (before ? 'change.cards' : 'change.card_added') : 'change.card_removed') : `change.${what}`
  const known = t(key, { name })
  return known === key ? name || what : known
}

/** @param {Change} change */
const excerpt = ({ before, after }) => (before || after
  ? h('p', { class: 'ed-excerpt', dir: 'auto' }, before ? h('del', {}, before) : null, before && after ? ' → ' : null, after ? h('ins', {}, after) : null)
  : null)

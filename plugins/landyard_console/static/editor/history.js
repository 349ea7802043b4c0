// The history of the page: what was changed, when and by whom; steps back and forth.

import { Refused } from './calls.js'
import { dialog, h, t, timeText } from './dom.js'

const METHODS = /^landing\.(?:block|landing)\.(\w+)/

/** @param {import('./editor.js').Editor} editor */
export async function showHistory (editor) {
  const told = h('p', { class: 'ed-hint', role: 'status' }, t('loading'))
  const list = h('ol', { class: 'ed-history' })
  const step = (/** @type {'undo' | 'redo'} */ way) => async () => {
    editor[way]()
    await editor.queue.flush()
    await draw()
  }
  dialog(t('history.title'), [
    h('div', { class: 'ed-row' }, h('button', { type: 'button', onclick: step('undo') }, t('bar.undo')), h('button', { type: 'button', onclick: step('redo') }, t('bar.redo'))),
    told, list], { wide: true })
  const draw = async () => {
    try {
      const found = await editor.calls.call('landing.landing.history.getList', { lid: editor.page })
      told.textContent = found.length ? t('history.hint') : t('history.none')
      list.replaceChildren(...found.map((/** @type {any} */ edit) => item(editor, edit)))
    } catch (error) {
      told.textContent = error instanceof Refused ? error.message : t('state.away')
    }
  }
  await draw()
}

/** @param {import('./editor.js').Editor} editor @param {any} edit */
function item (editor, edit) {
  const block = editor.draft.find(String(edit.block))
  const name = METHODS.exec(edit.method)?.[1].toLowerCase() ?? ''
  const known = t(`did.${name}`)
  const what = known === `did.${name}` ? edit.method : known
  return h('li', { class: edit.undone ? 'ed-off' : '' },
    h('span', { class: 'ed-what' }, what), h('span', { class: 'ed-snippet' }, block?.name ?? t('history.gone')),
    h('span', {}, editor.presence?.nameOf(String(edit.user)) ?? ''), h('time', { dateTime: edit.date }, timeText(new Date(edit.date))),
    edit.undone ? h('span', { class: 'ed-tag' }, t('history.undone')) : null)
}

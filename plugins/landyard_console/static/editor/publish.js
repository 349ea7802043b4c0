// The publishing dialog: the published and the new version side by side, block by block.

import { Refused } from './calls.js'
import { differences } from './differences.js'
import { dialog, h, t } from './dom.js'
import { textOf } from './markup.js'
import { make, offerUndo } from './page_calls.js'
import { stateOf } from './publication_state.js'

/** @typedef {import('./differences.js').Shown} Shown */

/** @param {import('./editor.js').Editor} editor */
export async function askToPublish(editor) {
  editor.close()
  await editor.queue.flush()
  const list = h('ol', { class: 'ed-differences' })
  const status = h('p', { role: 'status' }, t('loading'))
  const publish = h('button', { type: 'button', class: 'main', disabled: true, onclick: () => go() }, t('publish.now'))
  const more = h('div', { class: 'ed-hint' })
  const box = dialog(
    t('publish.title'),
    [
      status,
      more,
      list,
      h('footer', {}, h('button', { type: 'button', onclick: () => box.close() }, t('cancel')), publish)
    ],
    { wide: true }
  )
  const go = async () => {
    publish.disabled = true
    try {
      const { id } = await make(editor, 'landing.landing.publication', { lid: editor.page })
      box.close()
      await editor.readPage().catch(() => null)
      offerUndo(editor, t('publish.done'), id, 'publication')
    } catch (error) {
      publish.disabled = false
      status.textContent = error instanceof Refused ? error.message : t('away')
    }
  }
  try {
    const site = Number(editor.root.dataset.site)
    const [now, then, rights] = await Promise.all([
      readAll(editor, false),
      readAll(editor, true),
      editor.calls.call('landing.site.getRights', { id: site }),
      editor.readPage()
    ])
    const { found, staysHidden } = differences(now, then)
    const state = editor.standing && stateOf(editor.standing)
    const isNew = state === 'draft' || state === 'hidden'
    status.textContent = isNew
      ? t(state === 'draft' ? 'publish.new' : 'publish.unseen')
      : found.length
        ? t('publish.hint', { count: found.length })
        : t('publish.same')
    const url = editor.standing?.PUBLIC_URL
    more.replaceChildren(
      url ? h('p', {}, t('publish.at', { url })) : '',
      staysHidden.length ? h('p', {}, t('publish.stays_hidden', { names: staysHidden.join(', ') })) : ''
    )
    list.replaceChildren(...(isNew ? [] : found.map(drawn)))
    publish.disabled = !rights.includes('public')
    if (publish.disabled) status.append(' ', h('strong', {}, t('publish.no_right')))
  } catch (error) {
    status.textContent = error instanceof Refused ? error.message : t('away')
  }
}

/** @param {import('./editor.js').Editor} editor @param {boolean} draft @returns {Promise<Shown[]>} */
async function readAll(editor, draft) {
  const found = []
  for (let start = 0; start !== undefined; ) {
    const answer = await editor.calls.envelope('landing.block.getlist', {
      lid: editor.page,
      params: { edit_mode: draft, get_content: true },
      start
    })
    found.push(...answer.result)
    start = answer.next
  }
  return found.map((/** @type {any} */ block) => {
    const html = block.content.slice(block.content.indexOf('>') + 1, block.content.lastIndexOf('</div>'))
    return { name: block.name, html, text: textOf(html), active: block.active }
  })
}

/** @param {import('./differences.js').Difference} difference */
function drawn({ kind, name, now, later }) {
  const [before, lost, gained, after] = kind === 'changed' ? parts(now, later) : ['', now, later, '']
  const side = (/** @type {string} */ label, /** @type {string} */ text, /** @type {'ins' | 'del'} */ tag) =>
    h('div', {}, h('h4', {}, label), h('p', {}, before, text ? h(tag, {}, text) : null, after))
  return h(
    'li',
    {},
    h('h3', {}, name, h('span', { class: `ed-tag ${kind}` }, t(`publish.${kind}`))),
    kind === 'moved'
      ? h('p', { class: 'ed-snippet', dir: 'auto' }, later)
      : now === later
        ? h('p', { class: 'ed-hint' }, t('publish.no_text'))
        : h(
            'div',
            { class: 'ed-versions' },
            side(t('publish.before'), lost, 'del'),
            side(t('publish.after'), gained, 'ins')
          )
  )
}

/** The common beginning of two texts, their own parts, and their common end. @param {string} one @param {string} other */
function parts(one, other) {
  const [words, others] = [one.split(' '), other.split(' ')]
  let start = 0
  while (start < words.length && words[start] === others[start]) start += 1
  let end = 0
  while (end < words.length - start && end < others.length - start && words.at(-1 - end) === others.at(-1 - end))
    end += 1
  const cut = (/** @type {string[]} */ list) => list.slice(start, list.length - end).join(' ')
  const context = 12
  const before = words.slice(Math.max(0, start - context), start).join(' ')
  const after = words.slice(words.length - end, words.length - end + context).join(' ')
  return [before && `${before} `, cut(words), cut(others), after && ` ${after}`]
}

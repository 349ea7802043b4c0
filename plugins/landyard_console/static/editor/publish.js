// Publishing: what visitors see now and what they will see, side by side, block by block.

import { Refused } from './calls.js'
import { dialog, h, t } from './dom.js'
import { textOf } from './markup.js'
import { make, offerUndo } from './page_calls.js'

/** @typedef {{name: string, text: string, html: string}} Shown */
/** @typedef {{kind: 'added' | 'removed' | 'changed' | 'moved', name: string, now: string, then: string}} Difference */

/** @param {import('./editor.js').Editor} editor */
export async function askToPublish (editor) {
  editor.close()
  await editor.queue.flush()
  const list = h('ol', { class: 'ed-differences' })
  const told = h('p', { role: 'status' }, t('loading'))
  const publish = h('button', { type: 'button', class: 'main', disabled: true, onclick: () => go() }, t('publish.now'))
  const box = dialog(t('publish.title'), [told, list, h('footer', {}, h('button', { type: 'button', onclick: () => box.close() }, t('cancel')), publish)], { wide: true })
  const go = async () => {
    publish.disabled = true
    try {
      const { id } = await make(editor, 'landing.landing.publication', { lid: editor.page })
      box.close()
      await editor.readPage().catch(() => null)
      offerUndo(editor, t('publish.done'), id, 'publication')
    } catch (error) {
      publish.disabled = false
      told.textContent = error instanceof Refused ? error.message : t('state.away')
    }
  }
  try {
    const [now, then] = await Promise.all([readAll(editor, false), readAll(editor, true)])
    const found = differences(now, then)
    told.textContent = found.length ? t('publish.hint', { count: found.length }) : t('publish.same')
    list.replaceChildren(...found.map(drawn))
    publish.disabled = false
  } catch (error) {
    told.textContent = error instanceof Refused ? error.message : t('state.away')
  }
}

/** @param {import('./editor.js').Editor} editor @param {boolean} draft @returns {Promise<Shown[]>} */
async function readAll (editor, draft) {
  const found = []
  for (let start = 0; start !== undefined;) {
    const answer = await editor.calls.envelope('landing.block.getlist', { lid: editor.page, params: { edit_mode: draft, get_content: true }, start })
    found.push(...answer.result.filter((/** @type {any} */ block) => block.active))
    start = answer.next
  }
  return found.map((/** @type {any} */ block) => {
    const html = block.content.slice(block.content.indexOf('>') + 1, block.content.lastIndexOf('</div>'))
    return { name: block.name, html, text: textOf(html) }
  })
}

/** Pair blocks that are alike, in their order; the rest was changed, added or removed. @param {Shown[]} now @param {Shown[]} then @returns {Difference[]} */
export function differences (now, then) {
  const left = [...now]
  const unpaired = then.filter((block) => {
    const at = left.findIndex((other) => other.html === block.html)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  const found = unpaired.map((block) => {
    const at = left.findIndex((other) => other.name === block.name)
    const [other] = at < 0 ? [] : left.splice(at, 1)
    return /** @type {Difference} */ ({ kind: other ? 'changed' : 'added', name: block.name, now: other?.text ?? '', then: block.text })
  })
  found.push(...left.map((block) => /** @type {Difference} */ ({ kind: 'removed', name: block.name, now: block.text, then: '' })))
  const isMoved = !found.length && now.some((block, at) => block.html !== then[at]?.html)
  return isMoved ? [{ kind: 'moved', name: '', now: '', then: '' }] : found
}

/** @param {Difference} difference */
function drawn ({ kind, name, now, then }) {
  const [before, lost, gained, after] = kind === 'changed' ? parts(now, then) : ['', now, then, '']
  const side = (/** @type {string} */ label, /** @type {string} */ text, /** @type {'ins' | 'del'} */ tag) =>
    h('div', {}, h('h4', {}, label), h('p', {}, before, text ? h(tag, {}, text) : null, after))
  return h('li', {}, h('h3', {}, name, h('span', { class: `ed-tag ${kind}` }, t(`publish.${kind}`))),
    kind === 'moved' ? null : h('div', { class: 'ed-versions' }, side(t('publish.before'), lost, 'del'), side(t('publish.after'), gained, 'ins')))
}

/** What two texts begin with alike, what each has of its own, and what they end with alike. @param {string} one @param {string} other */
function parts (one, other) {
  const [words, others] = [one.split(' '), other.split(' ')]
  let start = 0
  while (start < words.length && words[start] === others[start]) start += 1
  let end = 0
  while (end < words.length - start && end < others.length - start && words.at(-1 - end) === others.at(-1 - end)) end += 1
  const cut = (/** @type {string[]} */ list) => list.slice(start, list.length - end).join(' ')
  const context = 12
  const before = words.slice(Math.max(0, start - context), start).join(' ')
  const after = words.slice(words.length - end, words.length - end + context).join(' ')
  return [before && `${before} `, cut(words), cut(others), after && ` ${after}`]
}

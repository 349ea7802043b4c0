// The dialogs for a change that cannot be saved: an edit conflict, or a refused call.

import { dialog, h, t } from './dom.js'
import { htmlOf } from './draft.js'
import { textOf } from './markup.js'

/** Show HTML as text that can be read and copied. @param {string | null} html @param {string} label */
function shown(html, label) {
  const text = html === null ? t('conflict.gone') : textOf(html)
  return h(
    'div',
    {},
    h('h3', {}, label),
    h('div', { class: 'ed-version', tabIndex: 0, role: 'group', 'aria-label': label }, text)
  )
}

/**
 * Show both versions; resolves to whether to save ours.
 * @param {{theirs?: string | null, yours?: string | null}} versions @returns {Promise<boolean>}
 */
export function askWhich({ theirs, yours }) {
  return new Promise((resolve) => {
    const take = (/** @type {boolean} */ ours) => {
      box.close()
      resolve(ours)
    }
    const isText = theirs !== undefined || yours !== undefined
    const box = dialog(
      isText ? t('conflict.title') : t('conflict.block_title'),
      [
        h('p', {}, isText ? t('conflict.text') : t('conflict.block_text')),
        !isText
          ? null
          : h(
              'div',
              { class: 'ed-versions' },
              shown(theirs ?? null, t('conflict.theirs')),
              shown(yours ?? null, t('conflict.yours'))
            ),
        h(
          'footer',
          {},
          h('button', { type: 'button', onclick: () => take(false) }, t('conflict.take_theirs')),
          h('button', { type: 'button', class: 'main', onclick: () => take(true) }, t('conflict.take_yours'))
        )
      ],
      { wide: true, stays: true }
    )
  })
}

/**
 * Show why a change was refused, with the typed text; resolves to whether to try again.
 * @param {import('./queue.js').Entry} entry @param {import('./calls.js').Refused} error @returns {Promise<boolean>}
 */
export function tellRefused(entry, error) {
  const typed = entry.place ? Object.values(entry.params.data)[0] : null
  const html = typed && typeof typed === 'object' ? typed.text : typed
  return new Promise((resolve) => {
    const end = (/** @type {boolean} */ again) => {
      box.close()
      resolve(again)
    }
    const box = dialog(
      t('refused.title'),
      [
        h('p', {}, error.message),
        h('p', { class: 'ed-hint' }, error.code),
        typeof html === 'string' ? shown(html, t('refused.typed')) : null,
        h(
          'footer',
          {},
          h('button', { type: 'button', onclick: () => end(false) }, t('refused.drop')),
          h('button', { type: 'button', class: 'main', onclick: () => end(true) }, t('refused.again'))
        )
      ],
      { stays: true }
    )
  })
}

/**
 * Both versions of a conflicting edit, and the present revision. If the service no longer knows the
 * earlier version, theirs is the block's present content.
 * @param {import('./draft.js').Draft} draft @param {import('./queue.js').Entry} entry @param {any} data
 */
export async function versionsOf(draft, entry, data) {
  if (data && 'theirs' in data) return data
  const block = await draft.refresh(entry.block ?? '').catch(() => null)
  const [[key, value] = []] = entry.place ? Object.entries(entry.params.data) : []
  const place = key && draft.place(entry.block ?? '', key)
  const yours = typeof value === 'object' ? value?.text : value
  return { revision: data?.revision ?? block?.revision, theirs: place ? htmlOf(place) : undefined, yours }
}

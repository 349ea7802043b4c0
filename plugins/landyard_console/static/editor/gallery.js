// The gallery of blocks to add, with their preview pictures.

import { fold } from '../parts/text_folding.js'
import { Refused } from './calls.js'
import { dialog, h, t } from './dom.js'

/** @typedef {{code: string, name: string, preview: string, section: string}} Offered */

/** @type {Promise<any> | null} */
let repository = null

/** @param {import('./editor.js').Editor} editor @param {string | null} after the block before the new one */
export async function askForBlock(editor, after) {
  const search = h('input', { type: 'search', placeholder: t('gallery.search'), 'aria-label': t('gallery.search') })
  const status = h('p', { class: 'ed-hint', role: 'status' }, t('loading'))
  const list = h('div', { class: 'ed-gallery' })
  const box = dialog(t('gallery.title'), [search, status, list], { wide: true })
  try {
    repository ??= editor.calls.call('landing.block.getrepository', {})
    const sections = offeredIn(await repository)
    const draw = () => {
      const words = fold(search.value.trim())
      const found = sections
        .map(
          ([name, items]) =>
            /** @type {[string, Offered[]]} */ ([
              name,
              items.filter((item) => fold(`${item.name} ${name} ${item.code}`).includes(words))
            ])
        )
        .filter(([, items]) => items.length)
      status.textContent = found.length ? '' : t('gallery.none')
      list.replaceChildren(
        ...found.map(([name, items]) =>
          h(
            'section',
            {},
            h('h3', {}, name),
            h(
              'ul',
              {},
              ...items.map((item) =>
                h(
                  'li',
                  {},
                  h(
                    'button',
                    {
                      type: 'button',
                      onclick: () => {
                        box.close()
                        editor.changes.addBlock(item.code, after)
                      }
                    },
                    item.preview ? h('img', { src: item.preview, alt: '', loading: 'lazy' }) : shownOf(item.code),
                    h('span', {}, item.name)
                  )
                )
              )
            )
          )
        )
      )
    }
    search.addEventListener('input', draw)
    draw()
  } catch (error) {
    repository = null
    status.textContent = error instanceof Refused ? error.message : t('away')
  }
}

/** The rendered preview of a block without a picture. @param {string} code */
function shownOf(code) {
  const frame = h('iframe', {
    src: `${location.pathname.replace(/\/$/, '')}/blocks/${encodeURIComponent(code)}`,
    loading: 'lazy',
    tabIndex: -1,
    title: code
  })
  const holder = h('span', { class: 'ed-shown', 'aria-hidden': 'true' }, frame)
  new ResizeObserver(() => {
    frame.style.transform = `scale(${holder.clientWidth / 1280})`
  }).observe(holder)
  return holder
}

/** Blocks by section, each only in its first section. @param {any} found @returns {[string, Offered[]][]} */
function offeredIn(found) {
  const codes = new Set()
  return Object.values(found).map(
    (section) =>
      /** @type {[string, Offered[]]} */ ([
        section.name,
        Object.entries(section.items ?? {})
          .filter(([code]) => !codes.has(code) && codes.add(code))
          .map(([code, item]) => ({ code, name: item.name, preview: item.preview ?? '', section: section.name }))
      ])
  )
}

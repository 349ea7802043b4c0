// The library of uploaded pictures: of the page, of its site, or of all sites that the user may
// view.

import { Refused } from './calls.js'
import { dialog, h, t } from './dom.js'

/**
 * A picture in the form of `landyard.picture.list`; `lid` is the page for which it was uploaded.
 * @typedef {{id: number, lid: number, src: string, alt: string, focus: number[], pages?: number[]}} Kept
 * @typedef {import('./editor.js').Editor} Editor
 */

const SHOWN = /\.(png|jpe?g|gif|webp|avif|svg)$/i
const PAUSE = 250
/** The scopes of the search. @type {Record<string, object>} */
const WHERE = { site: { whole_site: true }, page: {}, every_site: { every_site: true } }

/** Whether a picture was uploaded to this service, so that texts can be stored with it. @param {string} src */
export const isUploaded = (src) => src.startsWith('/files/')

/** @param {string} src */
export const fileName = (src) => src.split('/').at(-1) ?? ''

/** @param {Editor} editor @param {(picture: Kept) => void} chosen */
export function chooseFromLibrary(editor, chosen) {
  const search = h('input', {
    type: 'search',
    placeholder: t('library.search'),
    'aria-label': t('library.search'),
    maxLength: 120,
    oninput: () => later()
  })
  const where = h(
    'select',
    { 'aria-label': t('library.where'), onchange: () => draw() },
    ...Object.keys(WHERE).map((each) => h('option', { value: each }, t(`library.${each}`)))
  )
  const status = h('p', { class: 'ed-hint', role: 'status' })
  const list = h('ul', { class: 'ed-library' })
  const more = h('button', { type: 'button', hidden: true, onclick: () => read(next) }, t('library.more'))
  const box = dialog(t('library.title'), [h('div', { class: 'ed-row' }, search, where), status, list, more], {
    wide: true
  })
  let next = 0
  let latestSearch = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer
  const take = (/** @type {Kept} */ picture) => {
    box.close()
    chosen(picture)
  }

  async function read(/** @type {number} */ start) {
    latestSearch += 1
    const turn = latestSearch
    status.textContent = t('loading')
    try {
      const found = await ask(editor, { find: search.value.trim(), ...WHERE[where.value], start })
      if (turn !== latestSearch) return
      const items = found.result
        .filter((/** @type {Kept} */ each) => SHOWN.test(each.src))
        .map((/** @type {Kept} */ each) => itemOf(each, take))
      if (start) list.append(...items)
      else list.replaceChildren(...items)
      next = found.next ?? 0
      more.hidden = !next
      status.textContent = list.children.length
        ? t('library.hint')
        : t(search.value.trim() ? 'library.not_found' : 'library.none')
    } catch (error) {
      status.textContent = error instanceof Refused ? error.message : t('away')
    }
  }

  const draw = () => read(0)
  const later = () => {
    clearTimeout(timer)
    timer = setTimeout(draw, PAUSE)
  }
  draw()
}

/** The stored data of an uploaded picture, of this site or another; null for other pictures. @param {Editor} editor @param {string} src @returns {Promise<Kept | null>} */
export const findPicture = async (editor, src) =>
  (await findIn(editor, src, WHERE.site)) ?? findIn(editor, src, WHERE.every_site)

/** @param {Editor} editor @param {string} src @param {object} where @returns {Promise<Kept | null>} */
async function findIn(editor, src, where) {
  for (let start = 0; start !== undefined; ) {
    const found = await ask(editor, { find: fileName(src), ...where, start })
    const picture = found.result.find((/** @type {Kept} */ each) => each.src === src)
    if (picture) return picture
    start = found.next
  }
  return null
}

/** @param {Editor} editor @param {object} params */
const ask = (editor, params) => editor.calls.envelope('landyard.picture.list', { lid: editor.page, ...params })

/** @param {Kept} picture @param {(picture: Kept) => void} take */
function itemOf(picture, take) {
  const uses =
    picture.pages && (picture.pages.length ? t('library.used', { count: picture.pages.length }) : t('library.unused'))
  return h(
    'li',
    {},
    h(
      'button',
      { type: 'button', onclick: () => take(picture) },
      h('img', { src: picture.src, alt: '', loading: 'lazy' }),
      h('span', { class: 'ed-kind' }, fileName(picture.src)),
      picture.alt ? h('span', { class: 'ed-snippet', dir: 'auto' }, picture.alt) : null,
      uses ? h('span', { class: 'ed-hint' }, uses) : null
    )
  )
}

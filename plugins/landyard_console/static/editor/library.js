// The library: pictures that were uploaded before.

import { dialog, h, t } from './dom.js'
import { Refused } from './calls.js'

const PICTURE = /\.(png|jpe?g|gif|webp|avif|svg)$/i

/** @param {any} file @returns {{src: string, id: number, alt?: string, name: string}} */
const pictureOf = (file) => ({ src: file.src, id: file.id, alt: file.alt || '', name: file.name ?? file.src.split('/').at(-1) })

/** @param {import('./editor.js').Editor} editor @param {(picture: {src: string, id: number, alt?: string}) => void} chosen */
export async function chooseFromLibrary (editor, chosen) {
  const list = h('ul', { class: 'ed-library' })
  const told = h('p', { class: 'ed-hint', role: 'status' }, t('loading'))
  const box = dialog(t('library.title'), [told, list], { wide: true })
  try {
    const found = await editor.calls.call('landyard.picture.list', { lid: editor.page })
    const pictures = found.map(pictureOf).filter((/** @type {any} */ each) => PICTURE.test(each.src))
    told.textContent = pictures.length ? t('library.hint') : t('library.none')
    list.replaceChildren(...pictures.map((/** @type {any} */ picture) => h('li', {}, h('button', {
      type: 'button', onclick: () => { box.close(); chosen(picture) }
    }, h('img', { src: picture.src, alt: '', loading: 'lazy' }), h('span', {}, picture.name)))))
  } catch (error) {
    told.textContent = error instanceof Refused ? error.message : t('state.away')
  }
}

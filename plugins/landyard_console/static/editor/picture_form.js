// The form of a picture: choose, drop, upload or crop it, and its alternative text.

import { canCrop, cropPicture } from './crop.js'
import { h, t } from './dom.js'
import { askForFocus } from './focal_point.js'
import { chooseFromLibrary, isUploaded } from './library.js'
import { altField, placePicture, placeUpload } from './uploading.js'

/** @typedef {import('./draft.js').Place} Place */

/** The address of a picture in any kind of element. @param {Element} element */
export function sourceOf(element) {
  if (element.localName === 'img') return element.getAttribute('src') ?? ''
  return /url\((['"]?)(.*?)\1\)/.exec(element.getAttribute('style') ?? '')?.[2] ?? ''
}

/** @param {import('./editor.js').Editor} editor @param {import('./draft.js').Block} block @param {Place} place */
export function pictureForm(editor, block, place) {
  const src = sourceOf(place.element)
  const file = h('input', {
    type: 'file',
    accept: 'image/*',
    hidden: true,
    onchange: () => {
      if (file.files?.[0]) placeUpload(editor, block.id, place.key, file.files[0])
    }
  })
  const drop = h('div', { class: 'ed-drop' }, src ? h('img', { src, alt: '' }) : h('p', {}, t('picture.none')))
  drop.addEventListener('dragover', (event) => {
    event.preventDefault()
    drop.classList.add('ed-over')
  })
  drop.addEventListener('dragleave', () => drop.classList.remove('ed-over'))
  drop.addEventListener('drop', (event) => {
    event.preventDefault()
    const [first] = event.dataTransfer?.files ?? []
    if (first) placeUpload(editor, block.id, place.key, first)
  })
  return h(
    'div',
    { class: 'ed-picture' },
    drop,
    h(
      'div',
      { class: 'ed-row' },
      h('button', { type: 'button', onclick: () => file.click() }, t('picture.upload')),
      h(
        'button',
        {
          type: 'button',
          onclick: () => chooseFromLibrary(editor, (picture) => placePicture(editor, place, block, picture))
        },
        t('picture.library')
      ),
      canCrop(src)
        ? h('button', { type: 'button', onclick: () => cropPicture(editor, block.id, place, src) }, t('picture.crop'))
        : null,
      isUploaded(src)
        ? h('button', { type: 'button', onclick: () => askForFocus(editor, src) }, t('picture.focus'))
        : null,
      src
        ? h(
            'button',
            { type: 'button', class: 'quiet', onclick: () => placePicture(editor, place, block, { src: '' }) },
            t('picture.remove')
          )
        : null,
      file
    ),
    place.element.localName === 'img' ? altField(editor, block, place) : null,
    isUploaded(src) ? h('p', { class: 'ed-hint' }, t('picture.focus_hint')) : null,
    h('p', { class: 'ed-hint ed-keys' }, t('picture.hint'))
  )
}

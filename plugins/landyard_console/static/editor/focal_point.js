// The dialog for the focal point of a picture, which stays in view when it is cropped.

import { Refused } from './calls.js'
import { dialog, field, h, t, tell } from './dom.js'
import { moveByKeys, moveByPointer } from './drag_handle.js'
import { findPicture } from './library.js'

const MIDDLE = [50, 50]
const SIDES = /** @type {const} */ (['left', 'top'])

/** @param {import('./editor.js').Editor} editor @param {string} src */
export async function askForFocus(editor, src) {
  try {
    const picture = await findPicture(editor, src)
    if (picture) show(editor, picture)
    else tell(t('focus.unknown'), 'bad')
  } catch (error) {
    tell(error instanceof Refused ? error.message : t('away'), 'bad')
  }
}

/** @param {import('./editor.js').Editor} editor @param {import('./library.js').Kept} kept */
function show(editor, kept) {
  const at = [...(kept.focus.length ? kept.focus : MIDDLE)]
  const picture = h('img', { src: kept.src, alt: '' })
  const point = h('div', { class: 'ed-point', role: 'application', tabIndex: 0, 'aria-describedby': 'focus-hint' })
  const inputs = SIDES.map((_, side) =>
    h('input', {
      type: 'number',
      min: '0',
      max: '100',
      inputMode: 'numeric',
      onchange: (/** @type {any} */ event) => set(side, Number(event.target.value))
    })
  )
  const set = (/** @type {number} */ side, /** @type {number} */ value) => {
    at[side] = Math.min(100, Math.max(0, value))
    const [left, top] = at.map((each) => Math.round(each))
    Object.assign(point.style, { left: `${left}%`, top: `${top}%` })
    inputs.forEach((input, each) => {
      input.value = String([left, top][each])
    })
    point.setAttribute('aria-label', t('focus.point', { left, top }))
  }
  const by = (/** @type {number} */ x, /** @type {number} */ y) => {
    set(0, at[0] + x * 100)
    set(1, at[1] + y * 100)
  }
  const keep = (/** @type {number[]} */ focus) => {
    box.close()
    editor.changes.setFocus(kept, focus)
  }
  moveByKeys(point, { by })
  moveByPointer(point, picture, by)
  picture.addEventListener('click', (event) => {
    const { width, height } = picture.getBoundingClientRect()
    set(0, (event.offsetX / width) * 100)
    set(1, (event.offsetY / height) * 100)
  })
  for (const side of SIDES.keys()) set(side, at[side])
  const box = dialog(
    t('focus.title'),
    [
      h('p', { class: 'ed-hint', id: 'focus-hint' }, t('focus.hint')),
      h('div', { class: 'ed-cutter' }, picture, point),
      h('div', { class: 'ed-sides' }, ...SIDES.map((name, side) => field(t(`focus.${name}`), inputs[side]))),
      h(
        'footer',
        {},
        kept.focus.length ? h('button', { type: 'button', onclick: () => keep([]) }, t('focus.none')) : null,
        h('button', { type: 'button', onclick: () => box.close() }, t('cancel')),
        h(
          'button',
          { type: 'button', class: 'main', onclick: () => keep(at.map((each) => Math.round(each))) },
          t('focus.keep')
        )
      )
    ],
    { wide: true }
  )
  point.focus()
}

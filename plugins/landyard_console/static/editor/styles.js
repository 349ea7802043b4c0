// The fields for styles that a manifest allows: alignment and colours of a block or node.

import { field, h, t } from './dom.js'
import { parse } from './markup.js'

const ALIGNMENTS = ['', 'start', 'center', 'end']

/**
 * The fields for styles; none if the manifest has no style for the place.
 * @param {import('./editor.js').Editor} editor @param {import('./draft.js').Block} block @param {import('./draft.js').Place | null} place
 * @returns {HTMLElement[]}
 */
export function styleFields(editor, block, place) {
  const style = editor.draft.manifest(block).style ?? {}
  if (place ? !style.nodes?.[place.selector] : !style.block) return []
  const element = place?.element ?? parse(block.content).firstElementChild
  if (!(element instanceof HTMLElement)) return []
  const key = place?.key ?? '#wrapper'
  const set = (/** @type {string} */ name) => (/** @type {any} */ event) =>
    editor.changes.setStyle(block, key, { style: { [name]: event.target.value } })
  const now = element.style
  const colour = (/** @type {string} */ name, /** @type {string} */ label) => {
    const value = now.getPropertyValue(name)
    const input = h('input', { type: 'color', value: hexOf(value), dataset: { name }, onchange: set(name) })
    const reset = value
      ? h(
          'button',
          {
            type: 'button',
            class: 'quiet',
            onclick: () => editor.changes.setStyle(block, key, { style: { [name]: '' } })
          },
          t('style.reset')
        )
      : null
    const row = field(label, input)
    if (reset) row.append(reset)
    row.classList.add('ed-inline')
    return row
  }
  const aligned = h(
    'select',
    { dataset: { name: 'align' }, onchange: set('text-align') },
    ...ALIGNMENTS.map((value) =>
      h('option', { value, selected: now.textAlign === value }, t(`style.align_${value || 'usual'}`))
    )
  )
  return [
    h(
      'details',
      { class: 'ed-more' },
      h('summary', {}, t('style.title')),
      field(t('style.align'), aligned),
      colour('color', t('style.colour')),
      colour('background-color', t('style.background'))
    )
  ]
}

/** A colour in the format of a colour field. @param {string} value */
function hexOf(value) {
  const found = /^rgba?\((\d+), (\d+), (\d+)/.exec(value)
  if (found)
    return `#${found
      .slice(1, 4)
      .map((each) => Number(each).toString(16).padStart(2, '0'))
      .join('')}`
  return /^#[0-9a-f]{6}$/i.test(value) ? value : '#000000'
}

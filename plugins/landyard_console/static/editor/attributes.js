// The fields for attributes that a manifest declares, of nodes, other elements and the block.

import { cardName } from './cards.js'
import { field, h, t } from './dom.js'
import { select } from './draft.js'
import { parse } from './markup.js'

/** @typedef {import('./editor.js').Editor} Editor */
/** @typedef {import('./draft.js').Block} Block */
/** @typedef {{name?: string, type?: string, attribute: string, items?: {name: string, value: string}[], value?: any}} Declared */

/** All attributes of an entry, groups included. @param {any} entries @returns {Declared[]} */
const declaredIn = (entries) =>
  [entries ?? []]
    .flat()
    .flatMap((/** @type {any} */ entry) => [...(entry?.attribute ? [entry] : []), ...declaredIn(entry?.attrs)])

/**
 * The fields of a node's attributes.
 * @param {Editor} editor @param {Block} block @param {import('./draft.js').Place} place @returns {HTMLElement[]}
 */
export function attributeFields(editor, block, place) {
  const manifest = editor.draft.manifest(block)
  const declared = [
    ...declaredIn(manifest.attrs?.[place.selector]),
    ...declaredIn(manifest.style?.nodes?.[place.selector]?.additional?.attrs)
  ]
  if (!declared.length) return []
  return [
    h('section', {}, h('h3', {}, t('panel.settings')), ...fieldsOf(editor, block, place.key, place.element, declared))
  ]
}

/**
 * The fields for attributes of the block itself, and of elements other than nodes.
 * @param {Editor} editor @param {Block} block @returns {HTMLElement[]}
 */
export function blockAttributes(editor, block) {
  const manifest = editor.draft.manifest(block)
  const root = parse(block.content)
  const found = fieldsOf(
    editor,
    block,
    `#block${block.id}`,
    root.firstElementChild,
    declaredIn(manifest.style?.block?.additional?.attrs)
  )
  for (const [selector, entries] of Object.entries(manifest.attrs ?? {})) {
    if (manifest.nodes?.[selector] || manifest.cards?.[selector]) continue
    for (const [index, element] of select(root, selector).entries()) {
      found.push(...fieldsOf(editor, block, `${selector}@${index}`, element, declaredIn(entries)))
    }
  }
  for (const [selector, card] of Object.entries(manifest.cards ?? {})) {
    const declared = [...declaredIn(manifest.attrs?.[selector]), ...declaredIn(card?.additional?.attrs)]
    select(root, selector).forEach((element, index) => {
      const fields = fieldsOf(editor, block, `${selector}@${index}`, element, declared)
      if (fields.length)
        found.push(
          h('details', { class: 'ed-more' }, h('summary', { dir: 'auto' }, cardName(element, card, index)), ...fields)
        )
    })
  }
  return found.length ? [h('section', {}, h('h3', {}, t('panel.settings')), ...found)] : []
}

/** @param {Editor} editor @param {Block} block @param {string} key @param {Element | null} element @param {Declared[]} declared @returns {HTMLElement[]} */
function fieldsOf(editor, block, key, element, declared) {
  return declared.map((each) => {
    const value = element?.getAttribute(each.attribute) ?? String(each.value ?? '')
    const set = (/** @type {any} */ chosen) => editor.changes.setAttributes(block, key, { [each.attribute]: chosen })
    const name = { dataset: { name: `${key} ${each.attribute}` } }
    return field(each.name ?? each.attribute, inputFor(each, value, set, name), hintOf(each.attribute))
  })
}

/** A description of well-known HTML attributes, whose names in manifests may be vague. @param {string} attribute */
function hintOf(attribute) {
  const key = `attribute.${attribute}`
  const known = t(key)
  return known === key ? '' : known
}

/** @param {Declared} declared @param {string} value @param {(value: any) => void} set @param {object} more */
function inputFor(declared, value, set, more) {
  const items = declared.items ?? []
  if (items.length) {
    const known = items.some((item) => String(item.value) === value)
    const options = known ? items : [{ name: value || t('attribute.unset'), value }, ...items]
    return h(
      'select',
      { ...more, onchange: (/** @type {any} */ event) => set(event.target.value) },
      ...options.map((item) =>
        h('option', { value: String(item.value), selected: String(item.value) === value }, item.name)
      )
    )
  }
  if (declared.type === 'checkbox') {
    return h('input', {
      ...more,
      type: 'checkbox',
      checked: !['', 'false', '0', 'N'].includes(value),
      onchange: (/** @type {any} */ event) => set(event.target.checked)
    })
  }
  const type = { url: 'url', number: 'number', date: 'date', color: 'color' }[declared.type ?? ''] ?? 'text'
  return h('input', {
    ...more,
    type: type === 'url' ? 'text' : type,
    value,
    defaultValue: value,
    onchange: (/** @type {any} */ event) => set(event.target.value)
  })
}

// The cards of a block: added, copied, put into another order, removed.

import { h, icon, iconButton, t } from './dom.js'
import { select } from './draft.js'
import { parse } from './markup.js'
import { swap, menuForm } from './menu_form.js'

/**
 * The lists of a block's cards, and of its menus.
 * @param {import('./editor.js').Editor} editor @param {import('./draft.js').Block} block @returns {HTMLElement[]}
 */
export function cardLists (editor, block) {
  const cards = Object.entries(editor.draft.manifest(block).cards ?? {})
  return [...cards.map(([selector, card]) => listOf(editor, block, selector, card)), ...menuForm(editor, block)]
}

/** @param {import('./editor.js').Editor} editor @param {import('./draft.js').Block} block @param {string} selector @param {any} card */
function listOf (editor, block, selector, card) {
  const { changes } = editor
  const found = select(parse(block.content), selector)
  const labels = [card.label ?? []].flat()
  const reorder = (/** @type {number} */ at, /** @type {number} */ to) => {
    const order = found.map((_, index) => index)
    swap(order, at, to)
    changes.orderCards(block, selector, order)
  }
  const rows = found.map((element, at) => {
    const name = nameOf(element, labels) || t('card.number', { name: card.name || t('card.card'), number: at + 1 })
    return h('li', {}, h('span', { class: 'ed-snippet', dir: 'auto' }, name), h('span', { class: 'ed-row' },
      iconButton('up', t('item.up', { name }), () => reorder(at, at - 1), { disabled: at === 0 }),
      iconButton('down', t('item.down', { name }), () => reorder(at, at + 1), { disabled: at === found.length - 1 }),
      iconButton('copy', t('item.copy', { name }), () => changes.cloneCard(block, selector, at)),
      iconButton('remove', t('item.remove', { name }), () => changes.removeCard(block, selector, at), { disabled: found.length === 1 })))
  })
  const add = () => changes.cloneCard(block, selector, found.length - 1)
  return h('section', {}, h('h3', {}, card.name || t('card.card')), h('ol', { class: 'ed-cards' }, ...rows),
    found.length ? h('button', { type: 'button', onclick: add }, icon('add'), t('card.add')) : null)
}

/** @param {Element} card @param {string[]} labels */
function nameOf (card, labels) {
  for (const label of labels) {
    const text = select(card, label)[0]?.textContent?.trim()
    if (text) return text.slice(0, 60)
  }
  return ''
}

// The cards of a block: controls to add, copy, reorder and remove them.

import { h, icon, iconButton, t } from './dom.js'
import { select } from './draft.js'
import { parse } from './markup.js'
import { menuForm, swap } from './menu_form.js'

const LONGEST = 60

/**
 * The lists of a block's cards and menus; or only those of the cards that contain a node.
 * @param {import('./editor.js').Editor} editor @param {import('./draft.js').Block} block @param {import('./draft.js').Place} [place] @returns {HTMLElement[]}
 */
export function cardLists(editor, block, place) {
  const cards = Object.entries(editor.draft.manifest(block).cards ?? {}).filter(
    ([selector]) => !place || cardOf(place, selector)
  )
  return [
    ...cards.map(([selector, card]) => listOf(editor, block, selector, card)),
    ...(place ? [] : menuForm(editor, block))
  ]
}

/** The card that contains a node, and its position. @param {import('./draft.js').Place} place @param {string} selector @returns {{element: Element, at: number} | null} */
function cardOf(place, selector) {
  const found = select(/** @type {any} */ (place.element.getRootNode()), selector)
  const at = found.findIndex((each) => each.contains(place.element))
  return at < 0 ? null : { element: found[at], at }
}

/** @param {import('./editor.js').Editor} editor @param {import('./draft.js').Block} block @param {string} selector @param {any} card */
function listOf(editor, block, selector, card) {
  const { changes } = editor
  const found = select(parse(block.content), selector)
  const reorder = (/** @type {number} */ at, /** @type {number} */ to) => {
    const order = found.map((_, index) => index)
    swap(order, at, to)
    changes.orderCards(block, selector, order)
  }
  const rows = found.map((element, at) => {
    const name = cardName(element, card, at)
    return h(
      'li',
      {},
      h('span', { class: 'ed-snippet', dir: 'auto' }, name),
      h(
        'span',
        { class: 'ed-row' },
        iconButton('up', t('item.up', { name }), () => reorder(at, at - 1), { disabled: at === 0 }),
        iconButton('down', t('item.down', { name }), () => reorder(at, at + 1), { disabled: at === found.length - 1 }),
        iconButton('copy', t('item.copy', { name }), () => changes.cloneCard(block, selector, at)),
        iconButton('remove', t('item.remove', { name }), () => changes.removeCard(block, selector, at), {
          disabled: found.length === 1
        })
      )
    )
  })
  const add = () => changes.cloneCard(block, selector, found.length - 1)
  return h(
    'section',
    {},
    h('h3', {}, card.name || t('card.card')),
    h('ol', { class: 'ed-cards' }, ...rows),
    found.length ? h('button', { type: 'button', onclick: add }, icon('add'), t('card.add')) : null
  )
}

/** The label of a card: the text that its manifest designates, or its number. @param {Element} element @param {any} card of the manifest @param {number} at */
export function cardName(element, card, at) {
  for (const label of [card?.label ?? []].flat()) {
    const text = select(element, label)[0]?.textContent?.trim()
    if (text) return text.slice(0, LONGEST)
  }
  return t('card.number', { name: card?.name || t('card.card'), number: at + 1 })
}

/**
 * The label of a node, with its card's label, unless its text is that label.
 * @param {import('./editor.js').Editor} editor @param {import('./draft.js').Block} block @param {import('./draft.js').Place} place
 */
export function nodeName(editor, block, place) {
  for (const [selector, card] of Object.entries(editor.draft.manifest(block).cards ?? {})) {
    const found = cardOf(place, selector)
    const called = found ? cardName(found.element, card, found.at) : ''
    const isItself = place.element.textContent?.trim().slice(0, LONGEST) === called
    if (called && !isItself) return t('card.node', { name: place.name, card: called })
  }
  return place.name
}

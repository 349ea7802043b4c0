// The form of a menu: its items with their sub-items, and buttons to move them.

import { h, iconButton, t } from './dom.js'
import { select } from './draft.js'
import { parse } from './markup.js'

/** @typedef {{text: string, href: string, target: string, children: Item[]}} Item */

/** Read the items of a list. @param {Element} list @returns {Item[]} */
function itemsOf(list) {
  return [...list.children]
    .filter((each) => each.localName === 'li')
    .map((item) => {
      const link = item.querySelector(':scope > a')
      const below = item.querySelector(':scope > ul, :scope > ol')
      return {
        text: (link ?? item).textContent?.trim() ?? '',
        href: link?.getAttribute('href') ?? '#',
        target: link?.getAttribute('target') ?? '',
        children: below ? itemsOf(below) : []
      }
    })
}

/**
 * The menus of a block, each with its form.
 * @param {import('./editor.js').Editor} editor @param {import('./draft.js').Block} block @returns {HTMLElement[]}
 */
export function menuForm(editor, block) {
  const menus = editor.draft.manifest(block).menu ?? {}
  return Object.entries(menus).flatMap(([selector, menu]) =>
    select(parse(block.content), selector).map((list, index) =>
      h(
        'section',
        {},
        h('h3', {}, menu.name || t('menu.title')),
        ...formOf(editor, block, `${selector}@${index}`, itemsOf(list))
      )
    )
  )
}

/** @param {import('./editor.js').Editor} editor @param {import('./draft.js').Block} block @param {string} key @param {Item[]} items */
function formOf(editor, block, key, items) {
  const save = () => editor.changes.setNode(/** @type {any} */ ({ block: block.id, key }), items, block)
  const change = (/** @type {() => void} */ act) => () => {
    act()
    save()
  }
  /** @type {(list: Item[], above: string) => HTMLElement[]} */
  const rows = (list, above) =>
    list.map((item, at) => {
      const name = item.text || t('menu.item')
      const set = (/** @type {'text' | 'href'} */ part) => (/** @type {any} */ event) => {
        item[part] = event.target.value
        save()
      }
      return h(
        'li',
        {},
        h(
          'div',
          { class: 'ed-item' },
          h('input', {
            type: 'text',
            value: item.text,
            defaultValue: item.text,
            onchange: set('text'),
            'aria-label': t('menu.text'),
            dataset: { name: `text${above}${at}` }
          }),
          h('input', {
            type: 'text',
            value: item.href,
            defaultValue: item.href,
            onchange: set('href'),
            'aria-label': t('link.address'),
            spellcheck: false,
            dataset: { name: `href${above}${at}` }
          }),
          h(
            'span',
            { class: 'ed-row' },
            iconButton(
              'up',
              t('item.up', { name }),
              change(() => swap(list, at, at - 1)),
              { disabled: at === 0 }
            ),
            iconButton(
              'down',
              t('item.down', { name }),
              change(() => swap(list, at, at + 1)),
              { disabled: at === list.length - 1 }
            ),
            iconButton(
              'remove',
              t('item.remove', { name }),
              change(() => list.splice(at, 1))
            )
          )
        ),
        item.children.length ? h('ol', {}, ...rows(item.children, `${above}${at}.`)) : null
      )
    })
  return [
    h('ol', { class: 'ed-menu' }, ...rows(items, '')),
    h(
      'button',
      {
        type: 'button',
        onclick: change(() => items.push({ text: t('menu.new'), href: '#', target: '', children: [] }))
      },
      t('menu.add')
    )
  ]
}

/** @param {any[]} list @param {number} one @param {number} other */
export function swap(list, one, other) {
  ;[list[one], list[other]] = [list[other], list[one]]
}

// The outline: the blocks of the page in their order, moved by dragging, by buttons and by keys.

import { askForBlock } from './gallery.js'
import { h, icon, iconButton, t } from './dom.js'
import { textOf } from './markup.js'

/** @typedef {import('./draft.js').Block} Block */

export class Outline {
  /** @type {string | null} */ #dragged = null
  #shown = ''
  #list

  /** @param {import('./editor.js').Editor} editor */
  constructor (editor) {
    this.editor = editor
    this.#list = h('ol', { class: 'ed-blocks' })
    this.element = h('nav', { class: 'ed-outline', 'aria-label': t('outline.label') },
      h('header', {}, h('h2', {}, t('outline.title')),
        iconButton('add', t('outline.add'), () => askForBlock(editor, editor.chosen?.block ?? editor.draft.blocks.at(-1)?.id ?? null))),
      this.#list,
      h('p', { class: 'ed-hint' }, t('outline.keys')))
    this.#list.addEventListener('keydown', (event) => this.#pressed(event))
    editor.watch(() => this.update())
  }

  update () {
    const state = JSON.stringify([this.editor.chosen?.block, ...this.editor.draft.blocks.map((block) => [block.id, block.active, block.revision])])
    if (state === this.#shown) return
    this.#shown = state
    const active = document.activeElement
    const focused = this.#list.contains(active) ? active?.closest('li')?.dataset.id : null
    const chosen = this.editor.chosen?.block
    this.#list.replaceChildren(...this.editor.draft.blocks.map((block) => this.#item(block, block.id === chosen)))
    if (focused) /** @type {HTMLElement | null} */ (this.#list.querySelector(`[data-id="${focused}"] .ed-block`))?.focus()
    if (!this.editor.draft.blocks.length) this.#list.replaceChildren(h('li', { class: 'ed-empty' }, t('outline.empty')))
  }

  /** @param {Block} block @param {boolean} isChosen */
  #item (block, isChosen) {
    const name = block.name || block.code
    const item = h('li', { dataset: { id: block.id }, draggable: true, class: block.active ? '' : 'ed-off' },
      h('button', {
        type: 'button', class: 'ed-block', 'aria-current': isChosen ? 'true' : null,
        onclick: () => this.editor.choose(block.id, null, { reveal: true })
      }, icon('grip'), h('span', { class: 'ed-name', dir: 'auto' }, name), snippetOf(block),
      block.active ? null : h('span', { class: 'ed-tag' }, t('block.hidden'))))
    item.addEventListener('dragstart', (event) => {
      this.#dragged = block.id
      event.dataTransfer?.setData('text/plain', name)
      item.classList.add('ed-dragged')
    })
    item.addEventListener('dragend', () => { this.#dragged = null; item.classList.remove('ed-dragged') })
    item.addEventListener('dragover', (event) => {
      if (!this.#dragged) return
      event.preventDefault()
      item.classList.toggle('ed-before', isUpper(event, item))
      item.classList.toggle('ed-after', !isUpper(event, item))
    })
    item.addEventListener('dragleave', () => item.classList.remove('ed-before', 'ed-after'))
    item.addEventListener('drop', (event) => {
      event.preventDefault()
      item.classList.remove('ed-before', 'ed-after')
      const dragged = this.editor.draft.find(this.#dragged ?? '')
      if (dragged) this.#put(dragged, block, isUpper(event, item))
    })
    return item
  }

  /** @param {Block} block @param {Block} beside @param {boolean} before */
  #put (block, beside, before) {
    if (block === beside) return
    const others = this.editor.draft.blocks.filter((other) => other !== block)
    const at = others.indexOf(beside) - (before ? 1 : 0)
    moveBehind(this.editor, block, others[at])
  }

  /** @param {KeyboardEvent} event */
  #pressed (event) {
    const item = /** @type {HTMLElement} */ (event.target).closest('li')
    const block = this.editor.draft.find(item?.dataset.id ?? '')
    if (!block || !['ArrowUp', 'ArrowDown', 'Delete'].includes(event.key)) return
    event.preventDefault()
    if (event.key === 'Delete') this.editor.changes.removeBlock(block)
    else if (event.altKey) step(this.editor, block, event.key === 'ArrowUp' ? -1 : 1)
    else {
      const beside = event.key === 'ArrowUp' ? item?.previousElementSibling : item?.nextElementSibling
      const button = /** @type {HTMLElement | null | undefined} */ (beside?.querySelector('.ed-block'))
      button?.focus()
    }
  }
}

/** Put a block behind another one, or first. @param {import('./editor.js').Editor} editor @param {Block} block @param {Block | undefined} behind */
function moveBehind (editor, block, behind) {
  const [first] = editor.draft.blocks
  if (behind) editor.changes.moveBlock(block, behind.id)
  else if (first !== block) {
    if (editor.draft.blocks[1] !== block) editor.changes.moveBlock(block, first.id)
    editor.changes.stepBlock(block, 'upblock')
  }
}

/** Move a block by one place. @param {import('./editor.js').Editor} editor @param {Block} block @param {-1 | 1} by */
export function step (editor, block, by) {
  const at = editor.draft.blocks.indexOf(block) + by
  if (at < 0 || at >= editor.draft.blocks.length) return
  editor.changes.stepBlock(block, by < 0 ? 'upblock' : 'downblock')
}

/** @param {DragEvent} event @param {Element} item */
function isUpper (event, item) {
  const { top, height } = item.getBoundingClientRect()
  return event.clientY < top + height / 2
}

/** The first words of a block. @param {Block} block */
const snippetOf = (block) => h('span', { class: 'ed-snippet', dir: 'auto' }, textOf(block.content).slice(0, 60))

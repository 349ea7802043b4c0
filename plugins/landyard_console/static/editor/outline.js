// The outline: the page's blocks in order, moved by dragging, buttons and keys.

import { h, icon, iconButton, t } from './dom.js'
import { askForBlock } from './gallery.js'
import { textOf } from './markup.js'

/** @typedef {import('./draft.js').Block} Block */
/** @typedef {{id: string, before: boolean}} Target */

export class Outline {
  /** @type {string | null} */ #dragged = null
  #shown = ''
  /** @type {string | undefined} */ #seen
  #list

  /** @param {import('./editor.js').Editor} editor */
  constructor(editor) {
    this.editor = editor
    this.#list = h('ol', { class: 'ed-blocks' })
    this.element = h(
      'nav',
      { class: 'ed-outline', 'aria-label': t('outline.label') },
      h(
        'header',
        {},
        h('h2', {}, t('outline.title')),
        iconButton('add', t('outline.add'), () => askForBlock(editor, placeForNew(editor)))
      ),
      this.#list,
      h('p', { class: 'ed-hint' }, t('outline.keys'))
    )
    this.#list.addEventListener('keydown', (event) => this.#pressed(event))
    this.element.addEventListener('dragover', (event) => this.#over(event))
    this.element.addEventListener('drop', (event) => this.#dropped(event))
    this.element.addEventListener('dragleave', (event) => {
      if (!this.element.contains(/** @type {Node | null} */ (event.relatedTarget))) this.#showTarget()
    })
    for (const kind of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel']) {
      this.#list.addEventListener(kind, (event) => this.#touched(/** @type {PointerEvent} */ (event)))
    }
    editor.watch(() => this.update())
  }

  update() {
    if (this.#dragged) return // the browser ends a drag whose element is removed
    const state = JSON.stringify([
      this.editor.chosen?.block,
      ...this.editor.draft.blocks.map((block) => [block.id, block.active, block.revision])
    ])
    if (state === this.#shown) return
    this.#shown = state
    const active = document.activeElement
    const focused = this.#list.contains(active) ? active?.closest('li')?.dataset.id : null
    const chosen = this.editor.chosen?.block
    this.#list.replaceChildren(...this.editor.draft.blocks.map((block) => this.#item(block, block.id === chosen)))
    if (focused)
      /** @type {HTMLElement | null} */ (this.#list.querySelector(`[data-id="${focused}"] .ed-block`))?.focus()
    if (chosen !== this.#seen)
      this.#list.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    this.#seen = chosen
    if (!this.editor.draft.blocks.length) this.#list.replaceChildren(h('li', { class: 'ed-empty' }, t('outline.empty')))
  }

  /** @param {Block} block @param {boolean} isChosen */
  #item(block, isChosen) {
    const name = block.name || block.code
    const item = h(
      'li',
      { dataset: { id: block.id }, draggable: true, class: block.active ? '' : 'ed-off' },
      h(
        'button',
        {
          type: 'button',
          class: 'ed-block',
          'aria-current': isChosen ? 'true' : null,
          onclick: () => this.editor.choose(block.id, null, { reveal: true })
        },
        icon('grip'),
        h('span', { class: 'ed-name', dir: 'auto' }, name),
        snippetOf(block),
        block.active ? null : h('span', { class: 'ed-tag' }, t('block.hidden'))
      )
    )
    item.addEventListener('dragstart', (event) => {
      event.dataTransfer?.setData('text/plain', name)
      this.#take(item)
    })
    item.addEventListener('dragend', () => this.#release(item))
    return item
  }

  /** @param {HTMLElement} item */
  #take(item) {
    this.#dragged = item.dataset.id ?? null
    item.classList.add('ed-dragged')
  }

  /** @param {HTMLElement} item */
  #release(item) {
    this.#dragged = null
    item.classList.remove('ed-dragged')
    item.draggable = true
    this.#showTarget()
    this.update()
  }

  /** Touch and pen drag a block by its grip and scroll elsewhere; the mouse uses the browser's own dragging. @param {PointerEvent} event */
  #touched(event) {
    const element = /** @type {Element} */ (event.target)
    const item = element.closest('li')
    if (event.pointerType === 'mouse' || !item || !element.closest('.icon')) return
    if (event.type === 'pointerdown') {
      item.draggable = false
      this.#take(item)
    } else if (this.#dragged === item.dataset.id) {
      const target = this.#target(event)
      if (event.type === 'pointermove') {
        this.#showTarget(target)
        this.#list.querySelector('.ed-before, .ed-after')?.scrollIntoView({ block: 'nearest' })
        return
      }
      if (event.type === 'pointerup' && target && this.#dragged) this.#put(this.#dragged, target.id, target.before)
      this.#release(item)
    }
  }

  /** @param {DragEvent} event */
  #over(event) {
    if (!this.#dragged) return
    event.preventDefault()
    this.#showTarget(this.#target(event))
  }

  /** @param {DragEvent} event */
  #dropped(event) {
    if (!this.#dragged) return
    event.preventDefault()
    const target = this.#target(event)
    if (target) this.#put(this.#dragged, target.id, target.before)
  }

  /** The block beside which to drop: the one nearest to the pointer. @param {MouseEvent} event @returns {Target | null} */
  #target({ clientY }) {
    const items = /** @type {HTMLElement[]} */ ([...this.#list.querySelectorAll('li[data-id]')])
    const next = items.find((item) => {
      const { top, height } = item.getBoundingClientRect()
      return clientY < top + height / 2
    })
    const id = (next ?? items.at(-1))?.dataset.id
    return id ? { id, before: Boolean(next) } : null
  }

  /** @param {Target | null} [target] */
  #showTarget(target = null) {
    for (const each of this.#list.children) {
      const isTarget = target !== null && /** @type {HTMLElement} */ (each).dataset.id === target.id
      each.classList.toggle('ed-before', isTarget && target.before)
      each.classList.toggle('ed-after', isTarget && !target.before)
    }
  }

  /** Blocks are compared by id, because each fetch of the draft makes new objects. @param {string} id @param {string} beside @param {boolean} before */
  #put(id, beside, before) {
    const { blocks } = this.editor.draft
    const block = this.editor.draft.find(id)
    const others = blocks.filter((other) => other.id !== id)
    const at = others.findIndex((other) => other.id === beside)
    if (!block || at < 0) return
    const behind = others[before ? at - 1 : at]
    if (behind?.id !== blocks[blocks.indexOf(block) - 1]?.id) moveBehind(this.editor, block, behind)
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
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

/**
 * Move a block after another one, or to the first place. That takes two calls, after the first and then up, but one undo.
 * @param {import('./editor.js').Editor} editor @param {Block} block @param {Block | undefined} behind
 */
function moveBehind(editor, block, behind) {
  const [first, second] = editor.draft.blocks
  if (!behind && second !== block) editor.changes.moveBlock(block, first.id)
  if (behind) editor.changes.moveBlock(block, behind.id)
  else editor.changes.stepBlock(block, 'upblock')
}

/** Move a block by one place. @param {import('./editor.js').Editor} editor @param {Block} block @param {-1 | 1} by */
export function step(editor, block, by) {
  const at = editor.draft.blocks.indexOf(block) + by
  if (at < 0 || at >= editor.draft.blocks.length) return
  editor.changes.stepBlock(block, by < 0 ? 'upblock' : 'downblock')
}

/** The block after which to add a new one, or null for the first place: the selected or last one, but before a footer. @param {import('./editor.js').Editor} editor @returns {string | null} */
function placeForNew({ block, draft }) {
  const last = draft.blocks.at(-1)
  const behind = block ?? last
  const isFooter = behind && behind === last && draft.isFooter(behind)
  return (isFooter ? draft.blocks.at(-2) : behind)?.id ?? null
}

/** The first words of a block. @param {Block} block */
const snippetOf = (block) => h('span', { class: 'ed-snippet', dir: 'auto' }, textOf(block.content).slice(0, 60))

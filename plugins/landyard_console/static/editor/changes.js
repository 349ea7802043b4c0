// The possible changes of a page, each as a call that any client could send.

/** @typedef {import('./draft.js').Block} Block */
/** @typedef {import('./draft.js').Place} Place */

/** Adds changes to the queue of a page. */
export class Changes {
  /** The block revisions that our own changes have made, by the revisions before. @type {Map<string, string>} */
  #after = new Map()

  /** @param {import('./queue.js').Queue} queue @param {string} page */
  constructor(queue, page) {
    this.queue = queue
    this.page = page
  }

  /** Remember the new revision of a saved change, as the author has seen the own change. @param {string | null | undefined} before @param {string | null | undefined} after */
  saved(before, after) {
    if (!before || !after || before === after) return
    this.#after.delete(after)
    this.#after.set(before, after)
  }

  /** @param {Place} place @param {any} value @param {Block} block typed text, which is sent after a pause */
  type(place, value, block) {
    this.queue.type(this.#ofBlock(block, 'landing.block.updatenodes', { data: { [place.key]: value } }, place.key))
  }

  /** @param {Place} place @param {any} value @param {Block} block */
  setNode(place, value, block) {
    this.#add(block, 'landing.block.updatenodes', { data: { [place.key]: value } })
  }

  /** @param {Block} block @param {string} selector @param {Record<string, any>} attributes */
  setAttributes(block, selector, attributes) {
    this.#add(block, 'landing.block.updateattrs', { data: { [selector]: attributes } })
  }

  /** @param {Block} block @param {string} selector @param {object} style */
  setStyle(block, selector, style) {
    this.#add(block, 'landing.block.updateStyles', { data: { [selector]: style } })
  }

  /** @param {Block} block @param {string} anchor */
  setAnchor(block, anchor) {
    this.#add(block, 'landing.block.changeAnchor', { data: anchor })
  }

  /** @param {Block} block @param {string} selector @param {number} index */
  cloneCard(block, selector, index) {
    this.#add(block, 'landing.block.clonecard', { selector: `${selector}@${index}` })
  }

  /** @param {Block} block @param {string} selector @param {number} index */
  removeCard(block, selector, index) {
    this.#add(block, 'landing.block.removecard', { selector: `${selector}@${index}` })
  }

  /** @param {Block} block @param {string} selector @param {number[]} order the present cards, in their new order */
  orderCards(block, selector, order) {
    const source = order.map((value) => ({ type: 'card', value }))
    this.#add(block, 'landing.block.updateCards', { data: { [selector]: { source } } })
  }

  /** @param {string} code @param {string | null} after the block before it; null for the first place */
  addBlock(code, after) {
    this.#page('landing.landing.addblock', { fields: { CODE: code, AFTER_ID: after ?? 0 } })
  }

  /** @param {Block} block @param {string | null} after the new block before it; null for the first place */
  moveBlock(block, after) {
    this.#add(block, 'landing.landing.moveblock', { params: { AFTER_ID: after } })
  }

  /** Move one step up or down, also to the first place. @param {Block} block @param {'upblock' | 'downblock'} step */
  stepBlock(block, step) {
    this.#add(block, `landing.landing.${step}`, {})
  }

  /** @param {Block} block @param {boolean} active */
  showBlock(block, active) {
    this.#add(block, active ? 'landing.landing.showblock' : 'landing.landing.hideblock', {})
  }

  /** @param {Block} block */
  copyBlock(block) {
    this.#page('landing.landing.copyblock', { block: block.id, params: { AFTER_ID: block.id } })
  }

  /** @param {Block} block */
  removeBlock(block) {
    this.#add(block, 'landing.landing.markdeletedblock', {})
  }

  /** Set the focal point of a picture file, for every page. @param {import('./library.js').Kept} picture @param {number[]} focus */
  setFocus({ id, lid }, focus) {
    this.queue.add({ method: 'landyard.picture.update', params: { lid, id, focus } })
  }

  undo() {
    this.#page('landing.landing.history.undo', {})
  }

  redo() {
    this.#page('landing.landing.history.redo', {})
  }

  /** @param {string} method @param {object} params */
  #page(method, params) {
    this.queue.add({ method, params: { lid: this.page, ...params } })
  }

  /** @param {Block} block @param {string} method @param {object} params */
  #add(block, method, params) {
    this.queue.add(this.#ofBlock(block, method, params))
  }

  /** @param {Block} block @param {string} method @param {object} params @param {string} [key] */
  #ofBlock(block, method, params, key) {
    const place = key && `${block.id} ${key}`
    return {
      method,
      params: { lid: this.page, block: block.id, ...params },
      block: block.id,
      place,
      revision: this.#seen(block.revision)
    }
  }

  /** The revision that the author has seen, including our own later changes, because an open panel may be older. @param {string} revision */
  #seen(revision) {
    let found = revision
    for (let next = this.#after.get(found); next; next = this.#after.get(found)) found = next
    return found
  }
}

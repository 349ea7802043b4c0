// The draft of a page as stored on the server: its blocks, their editable nodes, and revisions.

import { parse, writeInsideOf } from './markup.js'

/**
 * @typedef {object} Block
 * @property {string} id
 * @property {string} code
 * @property {string} name
 * @property {boolean} active
 * @property {string} content its HTML, without the wrapper
 * @property {string} revision
 */

/**
 * A node of a block: an element named by the manifest. `key` is its selector with its position.
 * @typedef {object} Place
 * @property {string} block
 * @property {string} key
 * @property {string} selector
 * @property {number} index
 * @property {string} kind
 * @property {string} name
 * @property {Element} element the stored element, not the displayed one
 */

/** @typedef {Record<string, any>} Manifest */

const MOST = 50

/** @param {Place} place */
export const placeName = (place) => `${place.block} ${place.key}`

export class Draft {
  /** @type {Block[]} */ blocks = []
  /** @type {Map<string, Manifest>} */ manifests = new Map()
  /** The nodes of blocks, and the HTML in which they were found. @type {Map<string, {content: string, places: Place[]}>} */
  #found = new Map()

  /** @param {import('./calls.js').Calls} calls @param {string} page */
  constructor(calls, page) {
    this.calls = calls
    this.page = page
  }

  /** Fetch all blocks; resolves to the ids of changed ones. @returns {Promise<Set<string>>} */
  async load() {
    const mode = { edit_mode: true, get_content: true, get_revision: true }
    /** @type {any[]} */
    const found = []
    for (let start = 0; start !== undefined; ) {
      const answer = await this.calls.envelope('landing.block.getlist', { lid: this.page, params: mode, start })
      found.push(...answer.result)
      start = answer.next
    }
    const before = new Map(this.blocks.map((block) => [block.id, block]))
    this.blocks = found.map((each) => blockOf(each, unwrapped(each.content)))
    await this.#readManifests()
    const changed = this.blocks.filter((block) => !isSame(before.get(block.id), block)).map((block) => block.id)
    const removed = [...before.keys()].filter((id) => !this.find(id))
    return new Set([...changed, ...removed])
  }

  /** Fetch one block again. @param {string} id @returns {Promise<Block | null>} */
  async refresh(id) {
    const params = { wrapper_show: false, get_revision: true, force_unactive: true }
    const found = await this.calls.call('landing.block.getcontent', {
      lid: this.page,
      block: id,
      editMode: true,
      params
    })
    const block = this.find(id)
    if (!block) return null
    Object.assign(block, { content: found.content, revision: found.revision, active: found.active })
    return block
  }

  /** @param {string} id @returns {Block | undefined} */
  find(id) {
    return this.blocks.find((block) => block.id === id)
  }

  /** @param {Block} block @returns {Manifest} */
  manifest(block) {
    return this.manifests.get(block.code) ?? { nodes: {}, cards: {}, attrs: {}, style: {}, menu: {} }
  }

  /** Whether a block is a footer, by its manifest's sections or its HTML. @param {Block} block */
  isFooter(block) {
    const sections = [this.manifest(block).block?.section ?? []].flat()
    return sections.includes('footer') || parse(block.content).querySelector(':scope > footer') !== null
  }

  /** The nodes of a block in the order of its HTML. @param {Block} block @returns {Place[]} */
  places(block) {
    const cached = this.#found.get(block.id)
    if (cached?.content === block.content) return cached.places
    const places = this.#placesIn(block)
    this.#found.set(block.id, { content: block.content, places })
    return places
  }

  /** @param {Block} block @returns {Place[]} */
  #placesIn(block) {
    const root = parse(block.content)
    const found = Object.entries(this.manifest(block).nodes ?? {}).flatMap(([selector, node]) =>
      select(root, selector).map((element, index) => ({
        block: block.id,
        key: `${selector}@${index}`,
        selector,
        index,
        kind: node.type,
        name: node.name ?? selector,
        element
      }))
    )
    const follows = Node.DOCUMENT_POSITION_FOLLOWING
    return found.sort((one, other) => (one.element.compareDocumentPosition(other.element) & follows ? -1 : 1))
  }

  /** @param {string} id @param {string} key @returns {Place | undefined} */
  place(id, key) {
    const block = this.find(id)
    return block && this.places(block).find((place) => place.key === key)
  }

  async #readManifests() {
    const unknown = new Map(
      this.blocks.filter((block) => !this.manifests.has(block.code)).map((block) => [block.code, block.id])
    )
    const pending = [...unknown]
    while (pending.length) {
      const some = pending.splice(0, MOST)
      const cmd = Object.fromEntries(
        some.map(([, id]) => [`b${id}`, `landing.block.getmanifest?lid=${this.page}&block=${id}&params[edit_mode]=1`])
      )
      const { result } = await this.calls.call('batch', { cmd })
      for (const [code, id] of some) if (result[`b${id}`]) this.manifests.set(code, result[`b${id}`])
    }
  }
}

/** @param {any} item @param {string} content @returns {Block} */
const blockOf = (item, content) => ({
  id: String(item.id),
  code: item.code,
  name: item.name,
  active: item.active,
  content,
  revision: item.revision
})

/** @param {Block | undefined} one @param {Block} other */
const isSame = (one, other) =>
  one?.content === other.content && one.active === other.active && one.revision === other.revision

/** Lists have blocks with their wrappers. @param {string} html */
const unwrapped = (html) => html.slice(html.indexOf('>') + 1, html.lastIndexOf('</div>'))

/**
 * Find elements; none if the selector is invalid in this browser.
 * @param {ParentNode} root @param {string} selector @returns {Element[]}
 */
export function select(root, selector) {
  try {
    return [...root.querySelectorAll(selector)]
  } catch {
    return []
  }
}

/** The HTML of a text node. @param {Place} place */
export const htmlOf = (place) => writeInsideOf(place.element)

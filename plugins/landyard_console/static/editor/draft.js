// The draft of a page as the server has it: its blocks, what may be edited in them, and their revisions.

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
 * A node of a block: one element that the manifest names. `key` is its selector with its position.
 * @typedef {object} Place
 * @property {string} block
 * @property {string} key
 * @property {string} selector
 * @property {number} index
 * @property {string} kind
 * @property {string} name
 * @property {Element} element as it is stored; nothing of it is shown
 */

/** @typedef {Record<string, any>} Manifest */

const MOST = 50

/** @param {Place} place */
export const placeName = (place) => `${place.block} ${place.key}`

export class Draft {
  /** @type {Block[]} */ blocks = []
  /** @type {Map<string, Manifest>} */ manifests = new Map()
  /** What was found in a block, and in which HTML. @type {Map<string, {content: string, places: Place[]}>} */
  #found = new Map()

  /** @param {import('./calls.js').Calls} calls @param {string} page */
  constructor(calls, page) {
    this.calls = calls
    this.page = page
  }

  /** Read all blocks; tells which are others than before. @returns {Promise<Set<string>>} */
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
    const gone = [...before.keys()].filter((id) => !this.find(id))
    return new Set([...changed, ...gone])
  }

  /** Read one block again. @param {string} id @returns {Promise<Block | null>} */
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

  /** Whether a block is the foot of a page: by its manifest's sections, or its HTML. @param {Block} block */
  isFooter(block) {
    const sections = [this.manifest(block).block?.section ?? []].flat()
    return sections.includes('footer') || parse(block.content).querySelector(':scope > footer') !== null
  }

  /** The nodes of a block in the order of its HTML. @param {Block} block @returns {Place[]} */
  places(block) {
    const known = this.#found.get(block.id)
    if (known?.content === block.content) return known.places
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
    const asked = [...unknown]
    while (asked.length) {
      const some = asked.splice(0, MOST)
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

/** The list tells blocks in their wrappers. @param {string} html */
const unwrapped = (html) => html.slice(html.indexOf('>') + 1, html.lastIndexOf('</div>'))

/**
 * Find elements; none where a browser cannot read the selector.
 * @param {ParentNode} root @param {string} selector @returns {Element[]}
 */
export function select(root, selector) {
  try {
    return [...root.querySelectorAll(selector)]
  } catch {
    return []
  }
}

/** The HTML of a text. @param {Place} place */
export const htmlOf = (place) => writeInsideOf(place.element)

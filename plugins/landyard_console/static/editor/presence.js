// Others who change the same page: heard of by the feed, and seen in the bar.

import { t } from './dom.js'

const SHOWN_FOR = 120_000
const PAUSE = 300

export class Presence {
  /** @type {Map<string, {at: number, block: string}>} */ #seen = new Map()
  /** @type {Map<string, string>} */ #names = new Map()
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer

  /** @param {import('./editor.js').Editor} editor */
  constructor (editor) {
    this.editor = editor
    this.#names.set(editor.user, editor.root.dataset.name ?? '')
    this.#listen()
    this.#readNames()
    setInterval(() => this.#forget(), SHOWN_FOR / 4)
  }

  /** Who has changed the page lately, besides oneself. */
  get people () {
    return [...this.#seen].map(([user, { block }]) => {
      const name = this.nameOf(user)
      const what = this.editor.draft.find(block)?.name
      return { name, told: what ? t('presence.block', { name, block: what }) : t('presence.page', { name }) }
    })
  }

  /** @param {string} user */
  nameOf (user) {
    return this.#names.get(user) ?? t('presence.user', { id: user })
  }

  #listen () {
    const feed = new EventSource(`/-/events?feed=${encodeURIComponent('console.edits')}`)
    feed.addEventListener('landing.block.edited', (event) => this.#heard(JSON.parse(event.data)))
    feed.addEventListener('missed', () => this.#catchUp())
  }

  /** @param {{page_id: number, user_id: number, block_id: number}} event */
  #heard ({ page_id: page, user_id: user, block_id: block }) {
    if (String(page) !== this.editor.page) return
    if (String(user) !== this.editor.user) this.#seen.set(String(user), { at: Date.now(), block: String(block) })
    this.#catchUp()
    this.editor.bar?.update()
  }

  /** What was heard is read a moment later, and not while changes of ours are on the way. */
  #catchUp () {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(async () => {
      if (this.editor.queue.entries.some((entry) => entry.tried)) this.#catchUp()
      else await this.editor.catchUp()
    }, PAUSE)
  }

  #forget () {
    const before = this.#seen.size
    for (const [user, { at }] of this.#seen) if (Date.now() - at > SHOWN_FOR) this.#seen.delete(user)
    if (this.#seen.size !== before) this.editor.bar?.update()
  }

  /** Names are told to administrators. */
  async #readNames () {
    const users = await this.editor.calls.call('landyard.user.list', {}).catch(() => [])
    for (const { id, name } of users) this.#names.set(String(id), name)
  }
}

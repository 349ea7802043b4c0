// Other users who edit the same page, found in its history and shown in the bar.
//
// The history is polled every two seconds while the window is visible. Events would cost a row of the
// outbox for each edit, even if nobody has the page open.

import { Refused } from './calls.js'
import { t } from './dom.js'

const EVERY = 2000
const SHOWN_FOR = 120_000
const MOST_ASKED = 20

/** @typedef {{id: number, block: number, user: number, date: string, method: string, undone: boolean}} Edit */

export class Presence {
  /** Whether the user may edit the page; others may not read its history. */
  mayEdit = true
  /** @type {Map<string, {at: number, block: string}>} */ #seen = new Map()
  /** @type {Map<string, string>} */ #names = new Map()
  #state = ''
  #newest = 0

  /** @param {import('./editor.js').Editor} editor */
  constructor(editor) {
    this.editor = editor
    this.#names.set(editor.user, editor.root.dataset.name ?? '')
  }

  /** Poll for the first time, and continue. */
  async begin() {
    await this.#look(true)
    const again = async () => {
      if (!document.hidden && this.editor.queue.state !== 'signed-out') await this.#look(false)
      setTimeout(again, EVERY)
    }
    setTimeout(again, EVERY)
  }

  /** The other users who edited the page recently. */
  get people() {
    return [...this.#seen].map(([user, { block }]) => {
      const name = this.nameOf(user)
      const what = this.editor.draft.find(block)?.name
      return { name, told: what ? t('presence.block', { name, block: what }) : t('presence.page', { name }) }
    })
  }

  /** @param {string} user */
  nameOf(user) {
    return this.#names.get(user) ?? t('presence.user', { id: user })
  }

  /** @param {boolean} isFirst */
  async #look(isFirst) {
    try {
      const edits = await this.editor.calls.call('landing.landing.history.getList', { lid: this.editor.page })
      await this.#found(edits, isFirst)
    } catch (error) {
      if (error instanceof Refused && error.code === 'ACCESS_DENIED') this.mayEdit = false
    }
  }

  /** @param {Edit[]} edits @param {boolean} isFirst */
  async #found(edits, isFirst) {
    const before = this.people.length
    await this.learn(edits.map(({ user }) => user))
    const byOthers = edits.some(({ user, id }) => id > this.#newest && String(user) !== this.editor.user)
    for (const { user, block, id } of [...edits].reverse()) {
      if (id <= this.#newest) continue
      this.#newest = id
      if (!isFirst && String(user) !== this.editor.user)
        this.#seen.set(String(user), { at: Date.now(), block: String(block) })
    }
    for (const [user, { at }] of this.#seen) if (Date.now() - at > SHOWN_FOR) this.#seen.delete(user)
    const state = edits.map(({ id, undone }) => `${id}${undone}`).join()
    const isNew = state !== this.#state
    // While our changes are being sent, the fetched draft would be older than they are.
    if (this.editor.queue.entries.some((entry) => entry.tried)) return
    this.#state = state
    if (isNew && !isFirst) await this.editor.catchUp(byOthers)
    if (before || this.#seen.size) this.editor.bar?.update()
  }

  /** Fetch unknown names of users; deleted users are asked for only once. @param {number[]} users */
  async learn(users) {
    const unknown = users.map(String).filter((user) => !this.#names.has(user))
    if (!unknown.length) return
    let isTold = await this.#readNames('landyard.page.authors', { lid: this.editor.page })
    // Some authors are no longer in the list of the page's authors; administrators can read all
    // names.
    if (this.editor.root.dataset.users && unknown.some((user) => !this.#names.has(user)))
      isTold = await this.#readNames('landyard.user.list', {})
    for (const user of unknown) if (isTold) this.#names.set(user, this.nameOf(user))
  }

  /** Fetch names by a method; resolves to whether it answered. @param {string} method that lists users @param {object} params */
  async #readNames(method, params) {
    try {
      for (let start = 0, asked = 0; start !== undefined && asked < MOST_ASKED; asked += 1) {
        const found = await this.editor.calls.envelope(method, start ? { ...params, start } : params)
        for (const { id, name } of found.result) this.#names.set(String(id), name)
        start = found.next
      }
      return true
    } catch {
      return false
    }
  }
}

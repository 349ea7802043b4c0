// The queue of a page's changes, which are sent in order, one at a time, and kept until answered.

import { newKey } from '../call.js'
import { Away, Refused, SignedOut } from './calls.js'

/**
 * A change: a waiting call. `place` is the changed node; a later change of the same place replaces an
 * unsent one. `revision` is the block's revision that the author has seen; without it, the revision made
 * by the previous change. `tried`: the server may have received it.
 * @typedef {object} Entry
 * @property {string} key
 * @property {string} method
 * @property {Record<string, any>} params
 * @property {string} [block]
 * @property {string} [place]
 * @property {string | null} [revision]
 * @property {boolean} [tried]
 */

/**
 * `saved` gets an answer before the next change is sent, and resolves to the block's new revision.
 * `stopped` gets a refused change; the queue waits until `retry` or `drop`.
 * @typedef {object} Listener
 * @property {(entry: Entry, envelope: any) => Promise<string | null | undefined>} saved
 * @property {(entry: Entry, error: Refused) => void} stopped
 * @property {() => void} signedOut
 * @property {(state: State) => void} changed
 */

/** @typedef {'saved' | 'typing' | 'saving' | 'away' | 'signed-out' | 'stopped'} State */

/** Milliseconds after the last key until typed text is sent. */
export const PAUSE = 250
const LONGEST_BURST = 10_000
const WAITS = [500, 1000, 2000, 4000, 8000]

export class Queue {
  /** @type {Entry[]} */ entries
  /** @type {State} */ state = 'saved'
  /** @type {Entry | null} */ #burst = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #again
  /** @type {(() => void)[]} */ #waiting = []
  #began = 0
  #running = false
  #failures = 0

  /**
   * @param {{write: (entries: readonly Entry[]) => void}} shelf @param {Entry[]} entries the changes waiting already
   * @param {{envelope: (method: string, params: object, options: {key: string}) => Promise<any>}} calls
   * @param {Listener} listener
   */
  constructor(shelf, entries, calls, listener) {
    this.shelf = shelf
    this.entries = entries
    this.calls = calls
    this.listener = listener
  }

  /** Whether a change of a place is waiting. @param {string} place */
  holds(place) {
    return this.entries.some((entry) => entry.place === place)
  }

  /** Whether a change of a block is waiting. @param {string} block */
  holdsBlock(block) {
    return this.entries.some((entry) => entry.block === block)
  }

  /**
   * Add a change that is still being typed; it is stored at once, and sent after a pause.
   * @param {Omit<Entry, 'key'>} change
   */
  type(change) {
    if (this.#burst && this.#burst.place !== change.place) this.#end()
    const joined = this.entries.find((entry) => entry.place === change.place && !entry.tried)
    const isLast = joined && joined === this.entries.at(-1)
    if (joined && isLast) joined.params = change.params
    const entry = joined && isLast ? joined : this.#put(change)
    if (!this.#burst) this.#began = Date.now()
    this.#burst = entry
    this.#keep()
    clearTimeout(this.#timer)
    const left = this.#began + LONGEST_BURST - Date.now()
    this.#timer = setTimeout(() => this.#end(), Math.max(0, Math.min(PAUSE, left)))
    if (this.state === 'saved') this.#say('typing')
  }

  /**
   * Add a change to send at once.
   * @param {Omit<Entry, 'key'>} change
   */
  add(change) {
    this.#burst = null
    this.#put(change)
    this.#keep()
    this.#run()
  }

  /** Remove an unsent change of a place, which was reverted. @param {string} place */
  forget(place) {
    const at = this.entries.findIndex((entry) => entry.place === place && !entry.tried)
    if (at < 0) return
    if (this.entries[at] === this.#burst) this.#burst = null
    this.entries.splice(at, 1)
    this.#keep()
    if (!this.entries.length && this.state === 'typing') this.#say('saved')
  }

  /** Send everything now; resolves when all is saved. @returns {Promise<void>} */
  flush() {
    this.#end()
    return this.entries.length ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve()
  }

  /** Try again now, after the network is back or a user has signed in. */
  resume() {
    if (this.state === 'stopped') return
    clearTimeout(this.#again)
    this.#failures = 0
    this.#run()
  }

  /** Send the refused change again, for another revision. @param {string | null | undefined} revision */
  retry(revision) {
    const [entry] = this.entries
    if (!entry) return
    Object.assign(entry, { revision, key: newKey(), tried: false })
    this.#go()
  }

  /** Drop the refused change, and later changes of the same place. */
  drop() {
    const [dropped] = this.entries
    this.entries = this.entries.filter(
      (entry) => entry !== dropped && (!dropped?.place || entry.place !== dropped.place)
    )
    this.#go()
  }

  #go() {
    this.#keep()
    this.#say('saving')
    this.#run()
  }

  /** @param {Omit<Entry, 'key'>} change @returns {Entry} */
  #put(change) {
    const entry = { ...change, key: newKey() }
    if (change.block && this.holdsBlock(change.block)) delete entry.revision
    this.entries.push(entry)
    return entry
  }

  #end() {
    clearTimeout(this.#timer)
    this.#burst = null
    this.#run()
  }

  #keep() {
    this.shelf.write(this.entries)
  }

  /** @param {State} state */
  #say(state) {
    if (this.state === state) return
    this.state = state
    this.listener.changed(state)
  }

  async #run() {
    if (this.#running || this.state === 'stopped') return
    this.#running = true
    while (this.entries.length && this.entries[0] !== this.#burst) {
      if (!(await this.#sendFirst())) break
    }
    this.#running = false
    if (this.entries.length) return
    this.#say('saved')
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Send the first change; resolves to whether to continue. */
  async #sendFirst() {
    const [entry] = this.entries
    entry.tried = true
    this.#keep()
    if (this.state === 'typing' || this.state === 'saved') this.#say('saving')
    try {
      const params = entry.revision ? { ...entry.params, revision: entry.revision } : entry.params
      const envelope = await this.calls.envelope(entry.method, params, { key: entry.key })
      await this.#saved(entry, envelope)
      return true
    } catch (error) {
      this.#failed(entry, error)
      return false
    }
  }

  /** @param {Entry} entry @param {any} envelope */
  async #saved(entry, envelope) {
    this.#failures = 0
    const revision = await this.listener.saved(entry, envelope)
    this.entries.shift()
    const next = this.entries.find((other) => other.block && other.block === entry.block)
    if (next && next.revision === undefined && revision) next.revision = revision
    this.#keep()
    this.#say(this.entries.length && this.entries[0] === this.#burst ? 'typing' : 'saving')
  }

  /** @param {Entry} entry @param {unknown} error */
  #failed(entry, error) {
    if (error instanceof Refused) {
      this.#say('stopped')
      this.listener.stopped(entry, error)
    } else if (error instanceof SignedOut) {
      this.#say('signed-out')
      this.listener.signedOut()
    } else {
      if (!(error instanceof Away)) console.error(error)
      this.#say('away')
      const wait = WAITS[Math.min(this.#failures, WAITS.length - 1)]
      this.#failures += 1
      clearTimeout(this.#again)
      this.#again = setTimeout(() => this.#run(), wait)
    }
  }
}

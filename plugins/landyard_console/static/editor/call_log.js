// The log of calls made by the editor.

/** @typedef {{method: string, params: object, at: Date, answer: any}} Made */

const MOST = 200

export class Log {
  /** @type {Made[]} */ made = []

  /** @param {import('./queue.js').Entry} entry @param {any} answer */
  add(entry, answer) {
    const params = entry.revision ? { ...entry.params, revision: entry.revision } : entry.params
    this.made.unshift({ method: entry.method, params, at: new Date(), answer })
    this.made.length = Math.min(this.made.length, MOST)
  }
}

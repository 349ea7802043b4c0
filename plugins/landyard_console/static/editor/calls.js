// Calls of methods for the queue, with an error class for each kind of retry.

import { call, Refused, session, Unreachable } from '../call.js'

export { Refused }

/** The server is not reachable or too busy; the same call is sent again later. */
export class Away extends Error {}

/** The session has ended, or another user is signed in. */
export class SignedOut extends Error {}

const PATIENCE = 20_000
const BUSY = new Set(['OVERLOAD_LIMIT', 'QUERY_LIMIT_EXCEEDED', 'OPERATION_TIME_LIMIT', 'INTERNAL_SERVER_ERROR'])

/** Calls methods as one user; fails if another user has signed in meanwhile. */
export class Calls {
  /** @param {string} user the author of the changes */
  constructor(user) {
    this.user = user
    this.isOther = false
  }

  /**
   * Call a method; resolves to the whole envelope. `key` makes a repeated call run only once, and is
   * the id of the request, by which it can be undone.
   * Raises `Away`, `SignedOut` and `Refused`.
   * @param {string} method @param {object} params @param {{key?: string}} [options] @returns {Promise<any>}
   */
  async envelope(method, params, { key } = {}) {
    if (this.isOther) throw new SignedOut()
    const headers = key ? { 'Idempotency-Key': key, 'X-Request-Id': key } : {}
    try {
      return await call(method, params, {
        whole: true,
        headers,
        user: this.user,
        signal: AbortSignal.timeout(PATIENCE)
      })
    } catch (error) {
      throw this.#told(error)
    }
  }

  /**
   * Call a method; resolves to its result.
   * @param {string} method @param {object} params @returns {Promise<any>}
   */
  async call(method, params) {
    return (await this.envelope(method, params)).result
  }

  /** Tell whether this user is signed in; another user does not count. */
  async isSignedIn() {
    const found = await session().catch(() => null)
    this.isOther = found !== null && String(found.user) !== this.user
    return found !== null && !this.isOther
  }

  /** @param {any} error */
  #told(error) {
    if (!(error instanceof Refused))
      return error instanceof Unreachable || error.name === 'TimeoutError' ? new Away() : error
    if (error.code === 'OTHER_SESSION') this.isOther = true
    if (error.status === 401 || this.isOther) return new SignedOut()
    if (error.status === 429 || error.status >= 500 || BUSY.has(error.code)) return new Away()
    return error
  }
}

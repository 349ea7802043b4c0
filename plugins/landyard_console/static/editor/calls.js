// Calls of methods as the queue needs them: told apart by what is to be done when they fail.

import { call, Refused, session, Unreachable } from '../call.js'

export { Refused }

/** The server cannot be reached, or is too busy: the same call is sent again later. */
export class Away extends Error {}

/** Nobody is signed in any more, or somebody else is. */
export class SignedOut extends Error {}

const PATIENCE = 20_000
const BUSY = new Set(['OVERLOAD_LIMIT', 'QUERY_LIMIT_EXCEEDED', 'OPERATION_TIME_LIMIT', 'INTERNAL_SERVER_ERROR'])

/** Calls methods as one user, and as nobody else who may have signed in meanwhile. */
export class Calls {
  /** @param {string} user whose changes these are */
  constructor(user) {
    this.user = user
    this.isOther = false
  }

  /**
   * Call a method; answers the whole envelope. `key` makes a repeated call do its work once, and is
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
   * Call a method; answers its result.
   * @param {string} method @param {object} params @returns {Promise<any>}
   */
  async call(method, params) {
    return (await this.envelope(method, params)).result
  }

  /** Tell whether the user is signed in; anybody else counts as nobody. */
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

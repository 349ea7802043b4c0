/**
 * Calls of methods as the signed-in user, with the same answers as from `/rest`.
 *
 *     import { call, Refused } from '../call.js'
 *     const page = await call('landing.landing.add', { fields: { TITLE: 'New', SITE_ID: 1 } })
 *
 * Events on `document`: `landyard:called` after each answered call, with
 * `{ method, params, status, body }` in `detail`; `landyard:signed-out` when the session has ended.
 */

export const CONSOLE = '/-/console'

/** A refused call: `code`, `message`, `status`, and further fields of the answer. */
export class Refused extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(body.error_description || body.error || `Status ${status}`)
    this.name = 'Refused'
    this.code = body.error || ''
    this.status = status
    this.body = body
  }
}

/** The service was not reached, or its answer was cut off: the outcome of the call is unknown. */
export class Unreachable extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    super('The service cannot be reached.', { cause })
    this.name = 'Unreachable'
  }
}

/** @returns {HTMLMetaElement | null} */
const meta = () => document.querySelector('meta[name="csrf-token"]')

/** The token that every request to the console carries. */
export const csrf = () => meta()?.content ?? ''

/**
 * Fetch the token again, because it changes with every sign-in.
 * @returns {Promise<{csrf: string, user: number, name: string} | null>} null if nobody is signed in
 */
export async function session() {
  const answer = await reach(`${CONSOLE}/session`, {})
  if (answer.status === 401) return null
  const session = await answer.json()
  meta()?.setAttribute('content', session.csrf)
  return session
}

/**
 * Call a method; resolves to its `result`, or with `whole` to the whole body of the answer.
 * @param {string} method
 * @param {object | FormData} [params] a FormData is sent as multipart: for files
 * @param {{whole?: boolean, headers?: object, user?: string, signal?: AbortSignal, keepalive?: boolean}} [how]
 *   `headers` such as `{ 'Idempotency-Key': key }`; with a `user` the call fails for any other user
 * @returns {Promise<any>}
 * @throws {Refused | Unreachable}
 */
export async function call(method, params = {}, how = {}) {
  let answer = await send(method, params, how)
  let body = await read(answer)
  if (answer.status === 403 && body.error === 'OTHER_SESSION' && isFor(how.user, await session())) {
    answer = await send(method, params, how)
    body = await read(answer)
  }
  const detail = { method, params, status: answer.status, body }
  document.dispatchEvent(new CustomEvent('landyard:called', { detail }))
  if (answer.status === 401) document.dispatchEvent(new CustomEvent('landyard:signed-out'))
  if (!answer.ok) throw new Refused(answer.status, body)
  return how.whole ? body : body.result
}

/** @param {string | undefined} user @param {{user: number} | null} found */
const isFor = (user, found) => found !== null && (user === undefined || String(found.user) === user)

/**
 * @param {string} method @param {object | FormData} params
 * @param {{headers?: object, signal?: AbortSignal, keepalive?: boolean}} how
 */
function send(method, params, { headers = {}, signal, keepalive }) {
  const form = params instanceof FormData
  return reach(`${CONSOLE}/call/${method}`, {
    method: 'POST',
    headers: { ...(form ? {} : { 'Content-Type': 'application/json' }), 'X-CSRF-Token': csrf(), ...headers },
    body: form ? params : JSON.stringify(params),
    signal,
    keepalive
  })
}

/** A unique key for a call. */
export const newKey = () =>
  crypto.randomUUID
    ? crypto.randomUUID()
    : [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, '0')).join('')

/** @param {string} address @param {RequestInit} how */
async function reach(address, how) {
  try {
    return await fetch(address, { credentials: 'same-origin', cache: 'no-store', ...how })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Unreachable(error)
  }
}

/** @param {Response} answer */
async function read(answer) {
  if (answer.status === 204) return { result: null }
  try {
    return await answer.json()
  } catch (error) {
    if (answer.ok) throw new Unreachable(error)
    return { error: '', error_description: `Status ${answer.status}` }
  }
}

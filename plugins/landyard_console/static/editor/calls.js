// Calls of methods, as any client makes them, with the session of the browser.

/** The server cannot be reached, or is too busy: the same call is sent again later. */
export class Away extends Error {}

/** Nobody is signed in any more. */
export class SignedOut extends Error {}

/** The call was answered with an error. */
export class Refused extends Error {
  /** @param {string} code @param {string} text @param {any} data */
  constructor(code, text, data) {
    super(text);
    this.code = code;
    this.data = data;
  }
}

const PATIENCE = 20_000;
const BUSY = new Set(['OVERLOAD_LIMIT', 'QUERY_LIMIT_EXCEEDED', 'OPERATION_TIME_LIMIT']);

/**
 * @typedef {object} Session
 * @property {string} base where the console is
 * @property {string} csrf what says that a call comes from its page
 * @property {string} user who is signed in
 */

/** Calls methods as who is signed in. */
export class Calls {
  /** @param {Session} session @param {typeof fetch} [send] */
  constructor(session, send = (...of) => fetch(...of)) {
    this.session = session;
    this.send = send;
  }

  /**
   * Call a method; answers the whole envelope. `key` makes a repeated call do its work once.
   * @param {string} method @param {object} params @param {{key?: string}} [options] @returns {Promise<any>}
   */
  async envelope(method, params, options = {}) {
    const answer = await this.#post(method, params, options.key);
    if (answer.error === 'ACCESS_DENIED' && (await this.renew())) return this.#answered(await this.#post(method, params, options.key));
    return this.#answered(answer);
  }

  /** @param {string} method @param {object} params @param {{key?: string}} [options] @returns {Promise<any>} */
  async call(method, params, options) {
    return (await this.envelope(method, params, options)).result;
  }

  /**
   * Find out whether who is signed in has a new session; tells whether there is one.
   * Raises `SignedOut`.
   */
  async renew() {
    const response = await this.#fetch(location.pathname, { headers: { accept: 'text/html' } });
    if (response.status === 401) throw new SignedOut();
    if (!response.ok) throw new Away();
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const found = page.querySelector('[data-csrf]');
    if (!(found instanceof HTMLElement)) throw new SignedOut();
    const { csrf = '', user = '' } = found.dataset;
    const isNew = csrf !== this.session.csrf;
    Object.assign(this.session, { csrf, user });
    return isNew;
  }

  /** @param {string} method @param {object} params @param {string} [key] */
  async #post(method, params, key) {
    const headers = { 'content-type': 'application/json', 'x-csrf-token': this.session.csrf };
    const response = await this.#fetch(`${this.session.base}/call/${method}`, {
      method: 'POST', body: JSON.stringify(params), headers: key ? { ...headers, 'idempotency-key': key } : headers,
    });
    if (response.status === 401) throw new SignedOut();
    if (response.status === 429 || response.status >= 502) throw new Away();
    return response.json().catch(() => { throw new Away(); });
  }

  /** @param {any} answer */
  #answered(answer) {
    if (answer.error === undefined) return answer;
    if (BUSY.has(answer.error)) throw new Away();
    throw new Refused(answer.error, answer.error_description ?? answer.error, answer.error_data);
  }

  /** @param {string} url @param {RequestInit} options */
  async #fetch(url, options) {
    try {
      return await this.send(url, { ...options, credentials: 'same-origin', cache: 'no-store', signal: AbortSignal.timeout(PATIENCE) });
    } catch {
      throw new Away();
    }
  }
}

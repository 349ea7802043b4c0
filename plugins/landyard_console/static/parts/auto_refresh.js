/**
 * Automatic refresh: `<section id="…" data-live="5">` is fetched again every five seconds, while the screen is
 * visible and no dialog or menu is open. Only changed elements are updated.
 */
import { byId, htmx } from './elements.js'
import { renew } from './partial_update.js'

// htmx keeps no history here. A filter is nevertheless put into the address, so that a refresh uses
// it.
document.addEventListener('htmx:afterRequest', (/** @type {any} */ { detail }) => {
  if (detail.successful && detail.elt.closest('[hx-replace-url]'))
    history.replaceState(null, '', detail.pathInfo.finalRequestPath)
})

/** @type {WeakMap<Element, number>} the time when each part was first seen or last fetched */
const fetchedAt = new WeakMap()
let asking = false
let failed = 0
let called = 0
document.addEventListener('landyard:called', () => {
  called += 1
})

const isHeld = () =>
  document.hidden || !navigator.onLine || document.querySelector('dialog[open], :popover-open') !== null

setInterval(async () => {
  if (asking || isHeld()) return
  const due = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-live][id]')]).filter(isDue)
  if (!due.length) return
  asking = true
  try {
    await follow(due)
  } finally {
    asking = false
  }
}, 1000)

/** @param {HTMLElement} part */
function isDue(part) {
  const now = performance.now()
  const last = fetchedAt.get(part)
  const due = last !== undefined && now >= last + Number(part.dataset.live) * 1000
  if (due || last === undefined) fetchedAt.set(part, now)
  return due
}

/** @param {HTMLElement[]} parts */
async function follow(parts) {
  const address = location.href
  const before = called
  const html = await ask(address)
  // If meanwhile the filter was changed, a menu opened, or a call made, the answer may be outdated.
  if (html === null || address !== location.href || called !== before || isHeld()) return
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const part of parts) {
    const fresh = page.getElementById(part.id)
    if (!fresh || !part.isConnected) continue
    renew(part, fresh)
    const shown = byId(part.id)
    htmx.process(shown)
    shown.dispatchEvent(new CustomEvent('landyard:renewed', { bubbles: true }))
  }
}

/**
 * The current screen, or null. If the service does not answer, the shown state is marked as outdated.
 * @param {string} address @returns {Promise<string | null>}
 */
async function ask(address) {
  const line = byId('offline')
  try {
    const answer = await fetch(address, { cache: 'no-store' })
    const html = await answer.text()
    failed = 0
    line.hidden = true
    if (answer.status === 401) document.dispatchEvent(new CustomEvent('landyard:signed-out'))
    return answer.ok ? html : null
  } catch {
    failed += 1
    line.hidden = failed < 2 // a single failure may be a replaced worker, or leaving this screen
    return null
  }
}

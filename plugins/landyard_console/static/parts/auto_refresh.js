/**
 * What keeps up with the service by itself: `<section id="…" data-live="5">` is asked for again every five
 * seconds, while the screen is looked at and no dialog or menu is open. What has changed is renewed, and nothing else.
 */
import { byId, htmx } from './elements.js'
import { renew } from './renewal.js'

// htmx keeps no history here. A filter stands in the address all the same: what asks for the screen again asks for the same.
document.addEventListener('htmx:afterRequest', (/** @type {any} */ { detail }) => {
  if (detail.successful && detail.elt.closest('[hx-replace-url]'))
    history.replaceState(null, '', detail.pathInfo.finalRequestPath)
})

/** @type {WeakMap<Element, number>} when each part was seen first, or asked for last */
const asked = new WeakMap()
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
  const last = asked.get(part)
  const due = last !== undefined && now >= last + Number(part.dataset.live) * 1000
  if (due || last === undefined) asked.set(part, now)
  return due
}

/** @param {HTMLElement[]} parts */
async function follow(parts) {
  const address = location.href
  const before = called
  const told = await ask(address)
  // Meanwhile another filter was chosen, a menu opened, or something done: then what was answered may be from before it.
  if (told === null || address !== location.href || called !== before || isHeld()) return
  const page = new DOMParser().parseFromString(told, 'text/html')
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
 * The screen as it is now, or null. Nobody is to take what is shown for what is, where the service does not answer.
 * @param {string} address @returns {Promise<string | null>}
 */
async function ask(address) {
  const line = byId('offline')
  try {
    const answer = await fetch(address, { cache: 'no-store' })
    const told = await answer.text()
    failed = 0
    line.hidden = true
    if (answer.status === 401) document.dispatchEvent(new CustomEvent('landyard:signed-out'))
    return answer.ok ? told : null
  } catch {
    failed += 1
    line.hidden = failed < 2 // one alone may be a worker that is replaced, or this screen being left
    return null
  }
}

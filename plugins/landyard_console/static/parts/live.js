/**
 * What keeps up with the service by itself: `<section id="…" data-live="5">` is asked for again every five
 * seconds, while the screen is looked at and nobody is at work in it.
 */
import { htmx } from './elements.js'

// htmx keeps no history here. A filter stands in the address all the same: what asks for the screen again asks for the same.
document.addEventListener('htmx:afterRequest', (/** @type {any} */ { detail }) => {
  if (detail.successful && detail.elt.closest('[hx-replace-url]')) history.replaceState(null, '', detail.pathInfo.finalRequestPath)
})

setInterval(() => {
  if (document.hidden || !navigator.onLine || document.querySelector('dialog[open], :popover-open')) return
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-live][id]'))) {
    const due = (Number(part.dataset.at) || performance.now()) + Number(part.dataset.live) * 1000
    if (!part.dataset.at) part.dataset.at = String(performance.now())
    if (performance.now() < due || part.contains(document.activeElement)) continue
    part.dataset.at = String(performance.now())
    htmx.ajax('GET', location.href, { target: `#${part.id}`, select: `#${part.id}`, swap: 'outerHTML' })
  }
}, 1000)

/**
 * The screen of submissions. Files are fetched by a call and saved, never opened in the console's origin.
 * Submissions that arrived since this browser last showed those of a page are marked as new.
 */
import { call } from './call.js'
import { said } from './parts/call_elements.js'
import { on } from './parts/elements.js'
import { tell } from './parts/notifications.js'

on('click', '[data-file]', async (button) => {
  try {
    const file = await call('landyard.form.file', JSON.parse(button.dataset.file))
    if (!file) return
    const bytes = Uint8Array.from(atob(file.content), (each) => each.charCodeAt(0))
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
    link.download = file.name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000)
  } catch (error) {
    tell(said(error), { bad: true })
  }
})

/** @type {Map<string, number>} the time up to which this browser had shown a page's submissions */
const shownUntil = new Map()

/** @param {string} page */
function seenUntil(page) {
  if (!shownUntil.has(page)) shownUntil.set(page, Number(localStorage.getItem(`landyard-seen-${page}`)))
  return Number(shownUntil.get(page))
}

function mark() {
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-new]'))) {
    each.hidden = Date.parse(String(each.dataset.at)) <= seenUntil(String(each.dataset.new))
  }
  for (const list of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-seen]'))) {
    const page = String(list.dataset.seen)
    const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('[data-new]')])
    const latest = Math.max(seenUntil(page), ...all.map((each) => Date.parse(String(each.dataset.at))))
    localStorage.setItem(`landyard-seen-${page}`, String(latest))
  }
}

mark()
document.addEventListener('htmx:afterSettle', mark)
document.addEventListener('landyard:renewed', mark)

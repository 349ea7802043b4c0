/** The console's own behaviour on every screen. */
import { CONSOLE, csrf } from './call.js'

document.addEventListener('click', async event => {
  if (!event.target.closest('[data-sign-out]')) return
  await fetch(`${CONSOLE}/sign-out`, { method: 'POST', headers: { 'X-CSRF-Token': csrf() } })
  location.assign(`${CONSOLE}/`)
})

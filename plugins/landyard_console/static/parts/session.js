/** The session: signing out, and signing in again over the screen after it has ended. */
import { CONSOLE, csrf, session } from '../call.js'
import { showDialog } from './dialogs.js'
import { byId, on } from './elements.js'
import { text } from './texts.js'

on('click', '[data-sign-out]', async () => {
  await fetch(`${CONSOLE}/sign-out`, { method: 'POST', headers: { 'X-CSRF-Token': csrf() } })
  location.assign(`${CONSOLE}/`)
})

/** Show the sign-in dialog; `landyard:signed-in` is dispatched on `document` afterwards. */
function askToSignIn() {
  const template = byId('signed-out')
  if (!template || document.querySelector('dialog.signed-out')) return
  const dialog = template.content.firstElementChild.cloneNode(true)
  const form = dialog.querySelector('form')
  form.addEventListener('submit', async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault()
    const alert = form.querySelector('[role=alert]')
    alert.hidden = true
    if (form.elements.password?.value) {
      const answer = await fetch(`${CONSOLE}/sign-in`, { method: 'POST', body: fields(form) })
      if (!answer.ok) return complain(alert, 'js.wrong_password')
    }
    if (!(await session())) return complain(alert, 'js.still_out')
    dialog.close()
    document.dispatchEvent(new CustomEvent('landyard:signed-in'))
  })
  showDialog(dialog)
}

/** @param {HTMLFormElement} form */
const fields = (form) => new URLSearchParams(/** @type {any} */ (new FormData(form)))

/** @param {HTMLElement} alert @param {string} key */
function complain(alert, key) {
  alert.textContent = text(key)
  alert.hidden = false
}

document.addEventListener('landyard:signed-out', askToSignIn)
document.addEventListener('htmx:responseError', (event) => {
  if (/** @type {CustomEvent} */ (event).detail.xhr.status === 401) askToSignIn()
})

const line = () => byId('offline')
addEventListener('offline', () => {
  line().hidden = false
})
addEventListener('online', () => {
  line().hidden = true
})

on('click', '[data-show-secret]', (button) => {
  const field = button.parentElement.querySelector('input')
  const shown = field.type === 'password'
  field.type = shown ? 'text' : 'password'
  button.setAttribute('aria-pressed', String(shown))
})

// The language is stored in this browser only.
on('change', '[data-language]', (form) => {
  const age = form.elements.language.value ? 31536000 : 0
  // biome-ignore lint/suspicious/noDocumentCookie: not all supported browsers have the Cookie Store
  document.cookie = `landyard_language=${form.elements.language.value}; Path=/-/console; Max-Age=${age}; SameSite=Lax`
  location.reload()
})

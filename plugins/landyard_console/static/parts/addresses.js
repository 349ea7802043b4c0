/**
 * Addresses of pages and folders: `<input data-address="https://…/">` shows the public address below it, in `[data-shown]`,
 * and offers by `[data-plain]` a more readable form. A form with `data-code-of="page"` saves a page, one with
 * `data-code-of="site"` a site, and one with `data-code-of="new"` makes a page; each shows a message if the service
 * has changed the typed address.
 */
import { CONSOLE, call, newKey } from '../call.js'
import { attempt, offered, paramsOf, refresh, show } from './call_elements.js'
import { on } from './elements.js'
import { tell } from './notifications.js'
import { plain } from './readable_address.js'
import { text } from './texts.js'

/** The method that saves something with an address, the one that lists it, and the message for a changed address. */
const PAGE = { save: 'landing.landing.update', list: 'landing.landing.getList', told: 'js.address_taken' }
const SITE = { save: 'landing.site.update', list: 'landing.site.getList', told: 'js.address_site' }

on('input', '[data-address]', draw)
on('focusin', 'form:has([data-address])', (form) => form.querySelectorAll('[data-address]').forEach(draw))
on('click', '[data-plain]', (button) => {
  const field = button.closest('form').querySelector('[data-address]')
  field.value = button.dataset.plain
  draw(field)
  field.focus()
})

on('submit', 'form[data-code-of]', (form, event) => {
  event.preventDefault()
  attempt(form, event.submitter ?? form, () => (form.dataset.codeOf === 'new' ? make(form) : save(form)))
})

/** @param {any} field */
function draw(field) {
  const form = field.closest('form')
  const typed = field.value.trim()
  const better = plain(typed)
  const shown = form.querySelector('[data-shown]')
  shown.textContent = typed && `${field.dataset.address}${typed.replace(/[\s%?#]/g, encodeURIComponent)}/`
  const button = form.querySelector('[data-plain]')
  button.hidden = !better || better === typed
  button.dataset.plain = better
  button.textContent = text('js.address_plain', { code: better })
}

/** @param {any} form */
async function save(form) {
  const kind = form.dataset.codeOf === 'site' ? SITE : PAGE
  const params = paramsOf(form)
  const id = newKey()
  await call(kind.save, params, { headers: { 'X-Request-Id': id } })
  await settled(form, kind, params.lid ?? params.id, params.fields.CODE, async () => {
    form.closest('dialog').close()
    tell(form.dataset.done, { offer: offered(form, params, id) })
    await refresh()
  })
}

/** A page from a template has the template's address, so a second call sets its own. @param {any} form */
async function make(form) {
  const params = paramsOf(form)
  const { code = '', ...rest } = params.address ?? {}
  delete params.address
  if (rest.added) params.fields.CODE = code || undefined
  const page = await call(form.dataset.method, params)
  // An empty code, together with FOLDER, is made from the title.
  if (rest.later) await call('landing.landing.update', { lid: page, fields: { CODE: code, FOLDER: 'N' } })
  await settled(form, PAGE, page, code, async () => location.assign(`${CONSOLE}/editor/${page}`))
}

/**
 * Show a message if the typed address was changed, or continue.
 * @param {any} form @param {typeof PAGE} kind @param {number} number its id @param {string} typed @param {() => Promise<void>} next
 */
async function settled(form, kind, number, typed, next) {
  const params = { select: ['CODE'], filter: { ID: number } }
  const [{ CODE: found }] = typed ? await call(kind.list, { params }) : [{ CODE: '' }]
  const code = found.replaceAll('/', '') // a site's code has slashes around it
  if (code === typed.trim()) return next()
  show(form, { told: text(kind.told, { typed: typed.trim(), code }) })
  const link = form.closest('dialog').querySelector('[data-after] a')
  if (link) link.href = `${CONSOLE}/editor/${number}`
}

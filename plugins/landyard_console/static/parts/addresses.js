/**
 * Addresses of pages and folders: `<input data-address="https://…/">` shows beneath it, in `[data-shown]`, where visitors will
 * find what it is of, and offers by `[data-plain]` a form that is good to read and to say. A form with `data-code-of="page"` saves a page,
 * one with `data-code-of="site"` a site, and one with `data-code-of="new"` makes a page; each tells where the address became another
 * one than was typed.
 */
import { CONSOLE, call, newKey } from '../call.js'
import { attempt, offered, paramsOf, refresh, show } from './asking.js'
import { on } from './elements.js'
import { plain } from './plain.js'
import { tell } from './telling.js'
import { text } from './texts.js'

/** What saves something with an address, what lists it, and what is told of an address that became another one. */
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

/** A page that a template made has the template's address: it gets its own by another call. @param {any} form */
async function make(form) {
  const params = paramsOf(form)
  const { code = '', ...rest } = params.address ?? {}
  delete params.address
  if (rest.added) params.fields.CODE = code || undefined
  const page = await call(form.dataset.method, params)
  // An empty one, together with FOLDER, is made of the title.
  if (rest.later) await call('landing.landing.update', { lid: page, fields: { CODE: code, FOLDER: 'N' } })
  await settled(form, PAGE, page, code, async () => location.assign(`${CONSOLE}/editor/${page}`))
}

/**
 * Tell of an address that became another one than was typed, or go on.
 * @param {any} form @param {typeof PAGE} kind @param {number} number its id @param {string} typed @param {() => Promise<void>} next
 */
async function settled(form, kind, number, typed, next) {
  const asked = { select: ['CODE'], filter: { ID: number } }
  const [{ CODE: found }] = typed ? await call(kind.list, { params: asked }) : [{ CODE: '' }]
  const code = found.replaceAll('/', '') // that of a site is told between slashes
  if (code === typed.trim()) return next()
  show(form, { told: text(kind.told, { typed: typed.trim(), code }) })
  const link = form.closest('dialog').querySelector('[data-after] a')
  if (link) link.href = `${CONSOLE}/editor/${number}`
}

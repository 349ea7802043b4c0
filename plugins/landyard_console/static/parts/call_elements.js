/**
 * Elements that make calls:
 *
 *     <form data-call="landing.landing.update" data-then="refresh" data-done="Saved">
 *     <button data-call="…" data-params='{"lid": 1}' data-confirm="Really?">
 *
 * Fields are parameters by their names: `fields[TITLE]` is `{fields: {TITLE}}`. `data-type` of a field is
 * `number`, `days` (sent as hours), `boolean`, `json` or `list` (words separated by blanks). Empty fields with
 * `data-optional` are left out, and so are unchanged fields with `data-changed`. `data-then` is `refresh` (reload
 * the screen; the default), `all` (also the navigation), `go:<address>` with `{result}` for the result or its `id`,
 * `show` (put the answer into `[data-fill=<name>]` of the dialog), or `none`. The message in `data-done` offers to
 * undo the call with `data-undo`, or with `data-next='{"call": …, "word": …, "done": …}'` a further call with the
 * same parameters. With `data-links="12"` it asks for confirmation if pages link to the page with this id.
 */
import { call, newKey, Refused, Unreachable } from '../call.js'
import { confirmed } from './dialogs.js'
import { byId, htmx, on } from './elements.js'
import { tell } from './notifications.js'
import { text } from './texts.js'

const FOLLOWED = 1500
const MOST_TITLES = 5

on('submit', 'form[data-call]', (form, event) => {
  event.preventDefault()
  ask(form, paramsOf(form), event.submitter ?? form)
})

on('click', 'button[data-call]', (button) => ask(button, JSON.parse(button.dataset.params || '{}'), button))

/** @param {HTMLElement} element @param {object} params @param {HTMLElement} busy */
async function ask(element, params, busy) {
  const { call: method, confirm, then = 'refresh', done } = element.dataset
  if (busy.ariaBusy === 'true') return
  const word = element.dataset.word || String(element.textContent).trim()
  if (confirm && !(await confirmed(confirm, word))) return
  const links = element.dataset.links ? await linksTo(Number(element.dataset.links)) : ''
  if (links && !(await confirmed(links, word))) return
  await attempt(element, busy, async () => {
    const id = newKey()
    const result = await call(String(method), params, { headers: { 'X-Request-Id': id } })
    if (done) tell(done, { offer: offered(element, params, id) })
    if (then === 'show') return show(element, result)
    if (then === 'none') keep(element)
    element.closest('dialog')?.close()
    if (then.startsWith('go:'))
      return location.assign(then.slice(3).replace('{result}', encodeURIComponent(result?.id ?? result)))
    if (then === 'refresh') await refresh()
    if (then === 'all') await refreshAll()
  })
}

/**
 * A text with the pages that link to a page to be removed; "" if there are none, or if they may not be listed.
 * @param {number} page @returns {Promise<string>}
 */
async function linksTo(page) {
  const found = await call('landyard.page.links', { lid: page }).catch(() => [])
  const titles = found
    .slice(0, MOST_TITLES)
    .map((/** @type {{title: string, id: number}} */ each) => each.title || String(each.id))
  const more = found.length > MOST_TITLES ? ' …' : ''
  const key = found.length === 1 ? 'js.link' : 'js.links'
  return found.length ? text(key, { n: found.length, titles: titles.join(', ') + more }) : ''
}

/**
 * Run an action once at a time; an error is shown near the element.
 * @param {HTMLElement} element @param {HTMLElement} busy @param {() => Promise<void>} act
 */
export async function attempt(element, busy, act) {
  if (busy.ariaBusy === 'true') return
  complain(element, '')
  busy.ariaBusy = 'true'
  try {
    await act()
  } catch (error) {
    complain(element, said(error))
  } finally {
    busy.ariaBusy = 'false'
  }
}

/**
 * The offer after a call: to undo it, or the next action.
 * @param {HTMLElement} element @param {object} params @param {string} id
 */
export function offered({ dataset }, params, id) {
  if (dataset.next) {
    const { call: method, word, done } = JSON.parse(dataset.next)
    return { word, act: () => follow(method, params, done) }
  }
  return 'undo' in dataset
    ? { word: text('js.undo'), act: () => follow('landyard.call.undo', { id }, text('js.undone')) }
    : undefined
}

/** @param {string} method @param {object} params @param {string} done */
async function follow(method, params, done) {
  try {
    await call(method, params)
    tell(done)
  } catch (error) {
    tell(said(error), { bad: true })
  }
  await refresh()
}

/**
 * The text of an error for users.
 * @param {any} error anything that was thrown
 */
export function said(error) {
  if (error instanceof Refused) return error.code ? `${error.message} (${error.code})` : error.message
  return error instanceof Unreachable ? text('js.unreachable') : String(error.message || error)
}

/** Fetch the screen again, and replace the shown one. */
export async function refresh() {
  const at = document.activeElement?.id
  await htmx.ajax('GET', location.href, { target: '#main', select: '#main', swap: 'outerHTML' })
  if (at) byId(at)?.focus()
}

/** Fetch the screen and the navigation again, and once more when all workers have followed. */
async function refreshAll() {
  const both = async () => {
    await refresh()
    if (byId('nav')) await htmx.ajax('GET', location.href, { target: '#nav', select: '#nav', swap: 'outerHTML' })
  }
  await both()
  setTimeout(() => document.querySelector('dialog[open], :popover-open') ?? both(), FOLLOWED)
}

/** Mark the values of a form as saved, if its screen is not fetched again. @param {any} element */
function keep(element) {
  for (const field of element.elements ?? []) if ('defaultValue' in field) field.defaultValue = field.value
}

/** @param {HTMLElement} element @param {string} told */
function complain(element, told) {
  const form = element.closest('form')
  /** @type {HTMLElement | null | undefined} */
  const place = form?.querySelector('[role=alert]')
  if (!place) return told && tell(told, { bad: true })
  place.textContent = told
  place.hidden = !told
}

/**
 * Show the answer instead of the form.
 * @param {HTMLElement} element @param {any} result
 */
export function show(element, result) {
  /** @type {any} */
  const dialog = element.closest('dialog')
  for (const place of dialog.querySelectorAll('[data-fill]')) {
    const value = result?.[place.dataset.fill] ?? ''
    if ('value' in place) place.value = value
    else place.textContent = value
  }
  for (const each of dialog.querySelectorAll('[data-before]')) each.hidden = true
  for (const each of dialog.querySelectorAll('[data-after]')) each.hidden = false
  dialog.dataset.closed = 'refresh'
  dialog.querySelector('[data-after] [autofocus], [data-after] button')?.focus()
}

/**
 * The parameters from a form's fields.
 * @param {HTMLFormElement} form @returns {Record<string, any>}
 */
export function paramsOf(form) {
  const params = {}
  for (const field of /** @type {Iterable<any>} */ (form.elements)) {
    if (!field.name || field.disabled || (field.type === 'radio' && !field.checked)) continue
    if (field.type === 'checkbox' && field.dataset.type !== 'boolean' && !field.checked) continue
    if (field.value === '' && 'optional' in field.dataset) continue
    if ('changed' in field.dataset && !isChanged(field)) continue
    put(params, field.name.replaceAll(']', '').split('['), read(field))
  }
  return params
}

/** @param {any} field an input, a select or a textarea */
function isChanged(field) {
  if (field.options) return !field.selectedOptions[0]?.defaultSelected
  return field.value !== field.defaultValue
}

/** @param {any} field an input, a select or a textarea */
function read(field) {
  switch (field.dataset.type) {
    case 'number':
      return Number(field.value)
    case 'days':
      return Number(field.value) * 24
    case 'boolean':
      return field.type === 'checkbox' ? field.checked : field.value === 'true'
    case 'json':
      return JSON.parse(field.value)
    case 'list':
      return field.value.split(/[\s,]+/).filter(Boolean)
  }
  return field.value
}

/** @param {any} into @param {string[]} names @param {unknown} value */
function put(into, [name, ...behind], value) {
  if (!behind.length) {
    into[name] = value
  } else if (behind[0] === '') {
    into[name] ??= []
    into[name].push(value)
  } else {
    into[name] ??= {}
    put(into[name], behind, value)
  }
}

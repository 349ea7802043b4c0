/**
 * Dialogs and menus:
 *
 *     <button data-open="/-/console/pages/rename/10">   shows the `<dialog>` of the answer
 *     <button popovertarget="menu10"> … <div popover id="menu10" class="menu-list">
 */
import { refresh, said } from './call_elements.js'
import { byId, htmx, on } from './elements.js'
import { holdFocus } from './focus_return.js'
import { tell } from './notifications.js'

on('click', '[data-open]', (opener, event) => {
  event.preventDefault()
  opener.closest('[popover]')?.hidePopover()
  open(opener.dataset.open, opener)
})
on('click', '[data-close]', (closer) => closer.closest('dialog').close())
on('click', '[popover] button, [popover] a', (chosen) => chosen.closest('[popover]').hidePopover())

/**
 * Show the dialog at an address.
 * @param {string} address @param {HTMLElement} [opener]
 */
export async function open(address, opener) {
  try {
    const answer = await fetch(address, { cache: 'no-store' })
    const dialog = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('dialog')
    if (answer.status === 401) return document.dispatchEvent(new CustomEvent('landyard:signed-out'))
    if (!dialog) throw new Error(`Status ${answer.status}`)
    showDialog(document.importNode(dialog, true), opener)
  } catch (error) {
    tell(said(error), { bad: true })
  }
}

/**
 * Show a dialog until it is closed; then the focus returns.
 * The text of a field with `data-select` is selected.
 * @param {HTMLDialogElement} dialog @param {any} [opener] an element
 */
export function showDialog(dialog, opener) {
  const giveBack = holdFocus(opener)
  document.body.append(dialog)
  htmx.process(dialog)
  dialog.addEventListener('close', () => {
    dialog.remove()
    if (dialog.dataset.closed === 'refresh') refresh()
    giveBack()
  })
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog && !dialog.querySelector('form')) dialog.close()
  })
  dialog.showModal()
  /** @type {HTMLInputElement | null} */
  const typedOver = dialog.querySelector('[data-select]')
  typedOver?.select()
}

/**
 * Ask for confirmation; `word` is the label of the button.
 * @param {string} question @param {string} word @returns {Promise<boolean>}
 */
export function confirmed(question, word) {
  const dialog = byId('confirm').content.firstElementChild.cloneNode(true)
  dialog.querySelector('p').textContent = question
  const yes = dialog.querySelector('[value=yes]')
  yes.textContent = word
  showDialog(dialog)
  return new Promise((resolve) => dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes')))
}

// A menu opens beside its button, within the screen.
document.addEventListener(
  'toggle',
  (event) => {
    const menu = /** @type {HTMLElement} */ (event.target)
    if (/** @type {ToggleEvent} */ (event).newState !== 'open' || !menu.matches('.menu-list')) return
    const button = document.querySelector(`[popovertarget="${menu.id}"]`) ?? menu
    const at = button.getBoundingClientRect()
    const size = menu.getBoundingClientRect()
    const left = document.dir === 'rtl' ? at.left : at.right - size.width
    const below = at.bottom + 4 + size.height < innerHeight
    menu.style.left = `${Math.max(8, Math.min(left, innerWidth - size.width - 8))}px`
    menu.style.top = `${below ? at.bottom + 4 : Math.max(8, at.top - 4 - size.height)}px`
    /** @type {HTMLElement | null} */
    const first = menu.querySelector('a, button')
    first?.focus()
  },
  true
)

on('keydown', '.menu-list', (menu, event) => {
  if (!['ArrowDown', 'ArrowUp'].includes(event.key)) return
  event.preventDefault()
  const items = [...menu.querySelectorAll('a, button')]
  const next = items.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)
  items.at(next % items.length).focus()
})

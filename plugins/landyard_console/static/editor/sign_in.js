// Signing in again over the editor; the queue continues once the same user is back.

import { dialog, h, t } from './dom.js'

const EVERY = 3000
const PAUSE = 1000
let isWaiting = false

/**
 * Call `then` once the author of the waiting changes is signed in, in any tab.
 * @param {import('./calls.js').Calls} calls @param {() => void} then
 */
export function whenSignedIn(calls, then) {
  if (isWaiting) return
  isWaiting = true
  /** @type {HTMLDialogElement | null} */
  let notice = null
  const look = async () => {
    if (document.hidden) return
    const isSignedIn = await calls.isSignedIn()
    if (calls.isOther && !notice)
      notice = tellOfOther(() => {
        notice = null
      })
    if (!isSignedIn) return
    isWaiting = false
    clearInterval(timer)
    document.removeEventListener('landyard:signed-in', look)
    notice?.close()
    for (const each of document.querySelectorAll('dialog.signed-out')) /** @type {HTMLDialogElement} */ (each).close()
    then()
  }
  const timer = setInterval(look, EVERY)
  document.addEventListener('landyard:signed-in', look)
}

/**
 * Show the console's sign-in dialog when no one is typing, so that it gets no stray keys.
 * @param {() => number} typed the time of the last key
 */
export function askInPauses(typed) {
  let waits = false
  document.addEventListener(
    'landyard:signed-out',
    (event) => {
      const left = typed() + PAUSE - Date.now()
      if (left <= 0) return
      event.stopImmediatePropagation()
      if (waits) return
      waits = true
      setTimeout(() => {
        waits = false
        document.dispatchEvent(new CustomEvent('landyard:signed-out'))
      }, left)
    },
    { capture: true }
  )
}

/** @param {() => void} closed */
const tellOfOther = (closed) =>
  dialog(t('sign_in.title'), [h('p', { class: 'ed-warning' }, t('sign_in.other'))], { closed })

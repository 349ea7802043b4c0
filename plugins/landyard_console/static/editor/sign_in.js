// Signing in over the editor: the console asks, and the queue goes on once the same user is back.

import { dialog, h, t } from './dom.js'

const EVERY = 3000
const PAUSE = 1000
let isWaiting = false

/**
 * Call `then` once the user whose changes wait is signed in, by whatever tab.
 * @param {import('./calls.js').Calls} calls @param {() => void} then
 */
export function whenSignedIn(calls, then) {
  if (isWaiting) return
  isWaiting = true
  /** @type {HTMLDialogElement | null} */
  let told = null
  const look = async () => {
    if (document.hidden) return
    const isSignedIn = await calls.isSignedIn()
    if (calls.isOther && !told)
      told = tellOfOther(() => {
        told = null
      })
    if (!isSignedIn) return
    isWaiting = false
    clearInterval(timer)
    document.removeEventListener('landyard:signed-in', look)
    told?.close()
    for (const each of document.querySelectorAll('dialog.signed-out')) /** @type {HTMLDialogElement} */ (each).close()
    then()
  }
  const timer = setInterval(look, EVERY)
  document.addEventListener('landyard:signed-in', look)
}

/**
 * Have the console ask to sign in once nobody types: the next keys would go into what it asks.
 * @param {() => number} typed when somebody has typed last
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

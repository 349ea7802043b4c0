// Signing in over the editor: it waits until somebody has signed in again, and goes on.

import { dialog, h, t } from './dom.js'

const EVERY = 2000
let isAsking = false

/**
 * Ask to sign in; `then` is called once the same user is signed in.
 * @param {import('./calls.js').Calls} calls @param {() => void} then
 */
export function askToSignIn (calls, then) {
  if (isAsking) return
  isAsking = true
  const other = h('p', { class: 'ed-warning', role: 'alert', hidden: true }, t('sign_in.other'))
  const look = async () => {
    if (!isAsking || document.hidden) return
    if (await calls.isSignedIn()) {
      isAsking = false
      clearInterval(timer)
      box.close()
      then()
    } else other.hidden = !calls.isOther
  }
  const timer = setInterval(look, EVERY)
  const box = dialog(t('sign_in.title'), [
    h('p', {}, t('sign_in.text')), other,
    h('footer', {},
      h('a', { class: 'button', href: '/-/console/', target: '_blank', rel: 'opener' }, t('sign_in.open')),
      h('button', { type: 'button', class: 'main', onclick: look }, t('sign_in.again')))
  ], { stays: true })
  addEventListener('focus', look)
  box.addEventListener('close', () => removeEventListener('focus', look))
}

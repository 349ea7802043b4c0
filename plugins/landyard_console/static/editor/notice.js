// The notice below the bar about an action on the whole page, with undo; it stays until closed.

import { h, iconButton, t } from './dom.js'

export class Notice {
  constructor() {
    this.element = h('div', { class: 'ed-notice', role: 'status' })
  }

  /** Replace the notice, and keep the focus in it. @param {string} text @param {string} [label] of the action @param {() => Promise<unknown>} [act] @param {HTMLElement | null} [link] */
  show(text, label, act, link = null) {
    const isIn = this.element.contains(document.activeElement)
    const once = () => {
      button?.removeEventListener('click', once)
      act?.()
    }
    const button = act ? h('button', { type: 'button', onclick: once }, label ?? '') : null
    const close = iconButton('close', t('close'), () => this.close())
    this.element.replaceChildren(h('p', {}, text), button ?? '', link ?? '', close)
    this.element.classList.remove('bad')
    if (isIn) (button ?? close).focus()
  }

  /** @param {string} text the reason of a failure */
  refuse(text) {
    this.show(text)
    this.element.classList.add('bad')
  }

  close() {
    const before = /** @type {HTMLElement | null} */ (this.element.previousElementSibling)
    before?.focus()
    this.element.replaceChildren()
  }
}

// The bar at the top: where one is, whether all is saved, and what concerns the whole page.

import { h, icon, iconButton, t } from './dom.js'
import { showCalls } from './calls_panel.js'
import { showHistory } from './history.js'
import { askToPublish } from './publish.js'
import { shareDraft } from './share.js'

const SPINNING = new Set(['typing', 'saving'])

export class Bar {
  #state
  #people

  /** @param {import('./editor.js').Editor} editor */
  constructor (editor) {
    this.editor = editor
    this.#state = h('span', { class: 'ed-state', role: 'status' })
    this.#people = h('span', { class: 'ed-people' })
    this.element = h('header', { class: 'ed-bar' },
      h('a', { class: 'ed-icon', href: '/-/console/pages', title: t('bar.back'), 'aria-label': t('bar.back') }, icon('back')),
      h('div', { class: 'ed-title' }, h('strong', {}, editor.title || t('editor.untitled')), this.#state),
      /** @type {any} */ (editor.stage).choice,
      h('div', { class: 'ed-tools' },
        this.#people,
        iconButton('undo', t('bar.undo'), () => editor.undo()),
        iconButton('redo', t('bar.redo'), () => editor.redo()),
        iconButton('history', t('bar.history'), () => showHistory(editor)),
        iconButton('code', t('bar.calls'), () => showCalls(editor)),
        iconButton('share', t('bar.share'), () => shareDraft(editor)),
        h('button', { type: 'button', class: 'main', onclick: () => askToPublish(editor) }, t('bar.publish'))))
    editor.watch(() => this.update())
  }

  update () {
    const { state } = this.editor.queue
    this.#state.className = `ed-state ${state}`
    const text = t(`state.${SPINNING.has(state) ? 'saving' : state}`)
    if (this.#state.textContent !== text) this.#state.textContent = text
    const people = this.editor.presence?.people ?? []
    this.#people.replaceChildren(...people.map((person) =>
      h('span', { class: 'ed-person', title: person.told }, person.name.slice(0, 1).toUpperCase(), h('span', { class: 'ed-hidden' }, person.told))))
  }
}

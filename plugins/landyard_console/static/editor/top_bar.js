// The bar at the top: the page's title, the saving state, and actions on the whole page.

import { showCalls } from './calls_panel.js'
import { h, icon, iconButton, t } from './dom.js'
import { showHistory } from './history.js'
import { Notice } from './notice.js'
import { stateOf, viewLink } from './publication_state.js'
import { askToPublish } from './publish.js'
import { renamePage } from './rename.js'
import { shareDraft } from './share.js'

const SPINNING = new Set(['typing', 'saving'])

export class Bar {
  #state
  #standing
  #view
  #people
  #title
  notice = new Notice()

  /** @param {import('./editor.js').Editor} editor */
  constructor(editor) {
    this.editor = editor
    this.#state = h('span', { class: 'ed-state', role: 'status' })
    this.#standing = h('span', { class: 'ed-standing' })
    this.#view = h('span', { class: 'ed-viewing' })
    this.#people = h('span', { class: 'ed-people' })
    this.#title = h('strong', { dir: 'auto' })
    this.element = h(
      'header',
      { class: 'ed-bar' },
      h(
        'a',
        {
          class: 'ed-icon',
          href: `/-/console/pages/${editor.root.dataset.site}`,
          title: t('bar.back'),
          'aria-label': t('bar.back')
        },
        icon('back')
      ),
      h(
        'div',
        { class: 'ed-title' },
        h(
          'button',
          { type: 'button', class: 'ed-rename', title: t('rename.title'), onclick: () => renamePage(editor) },
          this.#title,
          h('span', { class: 'ed-hidden' }, t('rename.button')),
          icon('edit')
        ),
        h('span', { class: 'ed-states' }, this.#state, this.#standing)
      ),
      /** @type {any} */ (editor.stage).choice,
      h(
        'div',
        { class: 'ed-tools' },
        this.#people,
        iconButton('undo', t('bar.undo'), () => editor.undo()),
        iconButton('redo', t('bar.redo'), () => editor.redo()),
        iconButton('history', t('bar.history'), () => showHistory(editor)),
        iconButton('code', t('bar.calls'), () => showCalls(editor)),
        iconButton('share', t('bar.share'), () => shareDraft(editor)),
        this.#view,
        h('button', { type: 'button', class: 'main', onclick: () => askToPublish(editor) }, t('bar.publish')),
        this.notice.element
      )
    )
    editor.watch(() => this.update())
  }

  update() {
    this.#title.textContent = this.editor.title || t('editor.untitled')
    const { state } = this.editor.queue
    this.#state.className = `ed-state ${state}`
    const text = t(`state.${SPINNING.has(state) ? 'saving' : state}`)
    if (this.#state.textContent !== text) this.#state.textContent = text
    this.#showStanding()
    const people = this.editor.presence?.people ?? []
    this.#people.replaceChildren(
      ...people.map((person) =>
        h(
          'span',
          { class: 'ed-person', title: person.told },
          person.name.slice(0, 1).toUpperCase(),
          h('span', { class: 'ed-hidden' }, person.told)
        )
      )
    )
  }

  /** Redrawn only if it has changed, so that the focus stays. */
  #showStanding() {
    const { standing } = this.editor
    const state = standing ? stateOf(standing) : ''
    const shown = `${state} ${standing?.PUBLIC_URL}`
    if (this.#standing.dataset.shown === shown) return
    this.#standing.dataset.shown = shown
    this.#standing.className = `ed-standing ed-tag ${state}`
    this.#standing.textContent = state && t(`standing.${state}`)
    this.#view.replaceChildren(viewLink(standing) ?? '')
  }
}

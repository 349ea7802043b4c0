// Starts the editor on the console's editor screen.

import { h, setTexts, t } from './dom.js'
import { Editor } from './editor.js'
import { showHistory } from './history.js'

const root = document.getElementById('editor')
if (root) {
  setTexts(JSON.parse(root.dataset.texts ?? '{}'), root.dataset.icons ?? '')
  const editor = new Editor(root)
  const shown = () => {
    if (location.hash === '#history') showHistory(editor)
  }
  editor
    .start()
    .then(shown)
    .catch((error) => {
      console.error(error)
      root.replaceChildren(
        h(
          'div',
          { class: 'ed-failed', role: 'alert' },
          h('h1', {}, t('failed.title')),
          h('p', {}, t('failed.text')),
          h(
            'p',
            {},
            h('button', { type: 'button', class: 'main', onclick: () => location.reload() }, t('failed.again'))
          )
        )
      )
    })
}

// The panel of this page's calls, to copy as shell commands.

import { curl } from '../parts/calls.js'
import { dialog, h, t, tell, timeText } from './dom.js'

/** @param {import('./editor.js').Editor} editor */
export function showCalls(editor) {
  const { made } = editor.log
  const rows = made.map((each) => {
    const text = curl(each)
    const copy = () =>
      navigator.clipboard.writeText(text).then(
        () => tell(t('calls.copied')),
        () => tell(t('calls.not_copied'), 'bad')
      )
    return h(
      'li',
      {},
      h(
        'div',
        { class: 'ed-row' },
        h('code', {}, each.method),
        h('time', {}, timeText(each.at)),
        each.answer?.error ? h('span', { class: 'ed-tag bad' }, each.answer.error) : null,
        h('button', { type: 'button', onclick: copy }, t('calls.copy'))
      ),
      h('pre', { tabIndex: 0 }, text)
    )
  })
  dialog(
    t('calls.title'),
    [
      h('p', { class: 'ed-hint' }, t('calls.hint')),
      rows.length ? h('ol', { class: 'ed-calls' }, ...rows) : h('p', {}, t('calls.none'))
    ],
    { wide: true }
  )
}

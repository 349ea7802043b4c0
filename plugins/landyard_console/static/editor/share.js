// The dialog for links that show the draft without an account, until they expire.

import { Refused } from './calls.js'
import { dialog, h, t, tell, timeText } from './dom.js'

const HOURS = [1, 24, 168]

/** @param {import('./editor.js').Editor} editor */
export function shareDraft(editor) {
  const hours = h(
    'select',
    {},
    ...HOURS.map((each) => h('option', { value: String(each), selected: each === 24 }, t(`share.hours_${each}`)))
  )
  const made = h('div', { role: 'status' })
  const good = h('section', { hidden: true }, h('h3', {}, t('share.good')))
  const begin = h('button', { type: 'button', class: 'main', onclick: () => make() }, t('share.make'))
  const takeBack = async (/** @type {number} */ id) => {
    try {
      await editor.calls.call('landyard.draft.unshare', { lid: editor.page, ids: [id] })
      tell(t('share.taken_back'))
    } catch (error) {
      made.textContent = error instanceof Refused ? error.message : t('away')
    }
    await showGood()
    begin.focus()
  }
  const showGood = async () => {
    /** @type {{id: number, user: number, expires: string}[]} */
    const links = await editor.calls.call('landyard.draft.links', { lid: editor.page }).catch(() => [])
    await editor.presence.learn(links.map(({ user }) => user))
    good.hidden = !links.length
    good.querySelector('ul')?.remove()
    good.append(
      h(
        'ul',
        { class: 'ed-cards' },
        ...links.map(({ id, user, expires }) => {
          const description = t('share.by', {
            name: editor.presence.nameOf(String(user)),
            time: timeText(new Date(expires))
          })
          return h(
            'li',
            {},
            h('span', {}, description),
            h(
              'button',
              { type: 'button', onclick: () => takeBack(id), 'aria-label': `${t('share.take_back')}: ${description}` },
              t('share.take_back')
            )
          )
        })
      )
    )
  }
  const make = async () => {
    await editor.queue.flush()
    try {
      const { url, expires } = await editor.calls.call('landyard.draft.share', {
        lid: editor.page,
        hours: Number(hours.value)
      })
      const input = h('input', { type: 'text', readOnly: true, value: url, 'aria-label': t('share.link') })
      const copy = () =>
        navigator.clipboard.writeText(url).then(
          () => tell(t('calls.copied')),
          () => input.select()
        )
      made.replaceChildren(
        h('div', { class: 'ed-row' }, input, h('button', { type: 'button', onclick: copy }, t('calls.copy'))),
        h('p', { class: 'ed-hint' }, t('share.until', { time: timeText(new Date(expires)) }))
      )
    } catch (error) {
      made.textContent = error instanceof Refused ? error.message : t('share.failed')
    }
    await showGood()
  }
  dialog(t('share.title'), [
    h('p', {}, t('share.text')),
    h('div', { class: 'ed-row' }, h('label', {}, t('share.how_long'), ' ', hours), begin),
    made,
    good
  ])
  showGood()
}

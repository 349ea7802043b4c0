// The dialog for the page's title and address, which take effect at once on a published page.

import { plain } from '../parts/readable_address.js'
import { addressWith } from './addresses.js'
import { Refused } from './calls.js'
import { dialog, field, h, t } from './dom.js'
import { MetadataForm } from './metadata_form.js'
import { make, offerUndo } from './page_calls.js'
import { isPublic } from './publication_state.js'

/** @param {import('./editor.js').Editor} editor */
export async function renamePage(editor) {
  editor.close()
  const warning = h('p', { role: 'alert', class: 'ed-warning', hidden: true })
  const say = (/** @type {any} */ error) => {
    const isOlder = error instanceof Refused && error.code === 'REVISION_CONFLICT'
    warning.textContent = isOlder ? t('rename.conflict') : error instanceof Refused ? error.message : t('away')
    warning.hidden = false
  }
  const title = h('input', { type: 'text', required: true, maxLength: 255 })
  const code = h('input', { type: 'text', required: true, maxLength: 255, spellcheck: false })
  const save = h('button', { class: 'main', disabled: true }, t('rename.save'))
  const whole = h('div', { class: 'ed-whole' })
  const addressHint = h('p', { class: 'ed-hint' })
  const metadata = new MetadataForm(JSON.parse(editor.root.dataset.languages ?? '[]'))
  const form = h(
    'form',
    {},
    field(t('rename.page_title'), title, t('rename.title_hint')),
    field(t('rename.code'), code, t('rename.code_hint')),
    whole,
    metadata.element,
    addressHint,
    warning
  )
  const box = dialog(t('rename.title'), [
    form,
    h('footer', {}, h('button', { type: 'button', onclick: () => box.close() }, t('cancel')), save)
  ])
  form.id = 'rename'
  save.setAttribute('form', form.id)
  let revision = ''
  let [url, own] = ['', '']
  const use = (/** @type {string} */ value) => {
    code.value = value
    showWhole()
    code.focus()
  }
  const showWhole = () => {
    const typed = code.value.trim()
    const address = addressWith(url, own, typed)
    const easy = plain(typed)
    const isOdd = typed !== own && easy && easy !== typed
    whole.replaceChildren(
      address === null
        ? h('p', { class: 'ed-hint' }, url ? t('rename.fixed', { url }) : '')
        : h(
            'p',
            {},
            h('span', { class: 'ed-hint' }, t('rename.whole')),
            ' ',
            h('output', { htmlFor: code.id }, address)
          ),
      isOdd
        ? h(
            'p',
            { class: 'ed-row' },
            h('span', { class: 'ed-hint' }, t('rename.plain')),
            h('button', { type: 'button', onclick: () => use(easy) }, t('rename.use_plain', { code: easy }))
          )
        : ''
    )
  }
  code.addEventListener('input', showWhole)
  const read = async () => {
    const page = await editor.readPage()
    ;[url, own] = [page.PUBLIC_URL ?? '', page.CODE]
    addressHint.textContent = t(isPublic(page) ? 'rename.public' : 'rename.not_public')
    Object.assign(title, { value: page.TITLE })
    Object.assign(code, { value: page.CODE })
    metadata.show(page)
    revision = page.REVISION
    showWhole()
    save.disabled = false
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    save.disabled = true
    const typed = code.value.trim()
    try {
      const { id } = await make(editor, 'landing.landing.update', {
        lid: editor.page,
        fields: { TITLE: title.value.trim(), CODE: typed, ...metadata.changed },
        revision
      })
      box.close()
      const page = await editor.pageChanged()
      const done = t('rename.done', { title: page.TITLE, code: page.CODE })
      const takenText = page.CODE === typed ? '' : ` ${t('rename.taken', { typed, code: page.CODE })}`
      offerUndo(editor, `${done}${takenText}`, id, 'update')
    } catch (error) {
      say(error)
      if (error instanceof Refused && error.code === 'REVISION_CONFLICT') await read().catch(say)
      save.disabled = false
    }
  })
  await read().then(() => title.select(), say)
}

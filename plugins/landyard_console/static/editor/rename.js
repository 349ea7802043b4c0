// The title and the address of the page: visitors see both at once, without publishing.

import { Refused } from './calls.js'
import { dialog, field, h, t } from './dom.js'
import { make, offerUndo } from './page_calls.js'

/** @param {import('./editor.js').Editor} editor */
export async function renamePage (editor) {
  editor.close()
  const told = h('p', { role: 'alert', class: 'ed-warning', hidden: true })
  const say = (/** @type {any} */ error) => {
    const isOlder = error instanceof Refused && error.code === 'REVISION_CONFLICT'
    told.textContent = isOlder ? t('rename.conflict') : error instanceof Refused ? error.message : t('state.away')
    told.hidden = false
  }
  const title = h('input', { type: 'text', required: true, maxLength: 255 })
  const code = h('input', { type: 'text', required: true, maxLength: 255, spellcheck: false })
  const save = h('button', { class: 'main', disabled: true }, t('rename.save'))
  const form = h('form', {}, field(t('rename.page_title'), title, t('rename.title_hint')), field(t('rename.code'), code, t('rename.code_hint')), told)
  const box = dialog(t('rename.title'), [form, h('footer', {}, h('button', { type: 'button', onclick: () => box.close() }, t('cancel')), save)])
  form.id = 'rename'
  save.setAttribute('form', form.id)
  let revision = ''
  const read = async () => {
    const page = await editor.readPage()
    Object.assign(title, { value: page.TITLE })
    Object.assign(code, { value: page.CODE })
    revision = page.REVISION
    save.disabled = false
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    save.disabled = true
    try {
      const { id } = await make(editor, 'landing.landing.update', { lid: editor.page, fields: { TITLE: title.value.trim(), CODE: code.value.trim() }, revision })
      box.close()
      const page = await editor.pageChanged()
      offerUndo(editor, t('rename.done', { title: page.TITLE, code: page.CODE }), id, t('rename.title'))
    } catch (error) {
      say(error)
      if (error instanceof Refused && error.code === 'REVISION_CONFLICT') await read().catch(say)
      save.disabled = false
    }
  })
  await read().then(() => title.select(), say)
}

// The form of a page's metadata: title, description and language for search engines.

import { field, h, t } from './dom.js'

/** The page's fields, by the keys of their labels. */
const TEXTS = {
  METAMAIN_TITLE: 'seo_title',
  METAMAIN_DESCRIPTION: 'seo_text',
  METAOG_TITLE: 'share_title',
  METAOG_DESCRIPTION: 'share_text'
}

/** The fields, collapsed unless one has a value; `changed` returns them for a call that updates the page. */
export class MetadataForm {
  /** @param {[string, string][]} languages tags and names */
  constructor(languages) {
    /** @type {Record<string, HTMLInputElement | HTMLTextAreaElement>} */
    this.inputs = {}
    for (const name of Object.keys(TEXTS)) {
      this.inputs[name] = name.endsWith('TITLE')
        ? h('input', { type: 'text', maxLength: 255 })
        : h('textarea', { rows: 2, maxLength: 1000, class: 'ed-prose' })
    }
    const options = languages.map(([value, name]) => h('option', { value, lang: value }, name))
    this.language = h('select', {}, h('option', { value: '' }, t('rename.language_of_site')), ...options)
    const fields = Object.entries(TEXTS).map(([name, key]) =>
      field(t(`rename.${key}`), this.inputs[name], t(`rename.${key}_hint`))
    )
    this.element = h(
      'details',
      { class: 'ed-more' },
      h('summary', {}, t('rename.seo')),
      ...fields,
      field(t('rename.language'), this.language, t('rename.language_hint'))
    )
  }

  /** @param {Record<string, any>} page from `landing.landing.getList` with `get_metadata` */
  show(page) {
    this.known = page
    for (const [name, input] of Object.entries(this.inputs)) input.value = page[name] ?? ''
    const own = page.LANG ?? ''
    if (own && ![...this.language.options].some((each) => each.value === own))
      this.language.append(h('option', { value: own }, own))
    this.language.value = own
    this.element.open = Boolean(own) || Object.values(this.inputs).some((input) => input.value)
  }

  /** The fields that differ from the shown values. @returns {{LANG?: string, ADDITIONAL_FIELDS?: Record<string, string>}} */
  get changed() {
    const { known = {} } = this
    const texts = Object.entries(this.inputs).filter(([name, { value }]) => value.trim() !== (known[name] ?? '').trim())
    return {
      ...(this.language.value === (known.LANG ?? '') ? {} : { LANG: this.language.value }),
      ...(texts.length
        ? { ADDITIONAL_FIELDS: Object.fromEntries(texts.map(([name, { value }]) => [name, value.trim()])) }
        : {})
    }
  }
}

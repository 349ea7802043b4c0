// The upload of a picture for a block, and the change that places it there.

import { field, h, t, tell, untell } from './dom.js'
import { findPicture, isUploaded } from './library.js'

/** @typedef {import('./editor.js').Editor} Editor */
/** @typedef {import('./draft.js').Block} Block */
/** @typedef {import('./draft.js').Place} Place */
/** @typedef {{src: string, id?: number | string}} Picture */

/** The address of the sample pictures of block types. */
const SAMPLES = '/assets/'
const KINDS = /^image\/(png|jpe?g|gif|webp|avif|svg\+xml)$/

/** @param {File} file @returns {Promise<string>} the file's content in Base64 */
const contentOf = (file) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '')
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })

/**
 * Upload a picture and put it into a node.
 * @param {Editor} editor @param {string} blockId @param {string} key @param {File} file
 */
export async function placeUpload(editor, blockId, key, file) {
  const block = editor.draft.find(blockId)
  const place = editor.draft.place(blockId, key)
  if (!block || !place) return
  if (!KINDS.test(file.type)) {
    tell(t('picture.wrong_kind', { name: file.name }), 'bad')
    return
  }
  editor.choose(blockId, key)
  await placeContent(editor, blockId, key, file.name || 'picture.png', contentOf(file))
}

/**
 * Upload Base64 content as a picture, and put it into a node; `alt` is stored with the file.
 * @param {Editor} editor @param {string} blockId @param {string} key @param {string} name @param {string | Promise<string>} content @param {string} [alt]
 */
export async function placeContent(editor, blockId, key, name, content, alt) {
  const message = t('picture.uploading', { name })
  tell(message)
  try {
    const picture = [name, await content]
    const made = await editor.calls.call('landing.block.uploadfile', {
      block: blockId,
      picture,
      params: { remove_location: true }
    })
    if (alt) await editor.calls.call('landyard.picture.update', { lid: editor.page, id: made.id, alt })
    const block = editor.draft.find(blockId)
    const place = editor.draft.place(blockId, key)
    if (block && place) placePicture(editor, place, block, made)
  } catch (error) {
    const why = /** @type {Error} */ (error).message
    tell(why ? t('picture.failed', { name, error: why }) : t('picture.away', { name }), 'bad')
  } finally {
    untell(message)
  }
}

/**
 * An alternative text by an editor stays; that of a block type's sample is removed with it. Without one,
 * visitors get the text stored with the file.
 * @param {Editor} editor @param {Place} place @param {Block} block @param {Picture} picture
 */
export function placePicture(editor, place, block, { src, id }) {
  const isSample = place.element.getAttribute('src')?.startsWith(SAMPLES)
  const kept = (!isSample && place.element.getAttribute('alt')) || ''
  editor.changes.setNode(
    place,
    { src, ...(id ? { id } : {}), ...(place.element.localName === 'img' ? { alt: kept } : {}) },
    block
  )
}

/** @param {Editor} editor @param {Block} block @param {Place} place */
export function altField(editor, block, place) {
  const alt = place.element.getAttribute('alt') ?? ''
  const input = h('input', {
    type: 'text',
    value: alt,
    defaultValue: alt,
    dataset: { name: 'alt' },
    onchange: () => {
      const at = (/** @type {string} */ name) => place.element.getAttribute(name) ?? undefined
      const src2x = /(\S+) 2x/.exec(at('srcset') ?? '')?.[1]
      editor.changes.setNode(
        place,
        { src: at('src') ?? '', src2x, alt: input.value, id: at('data-fileid'), id2x: at('data-fileid2x') },
        block
      )
    }
  })
  const shown = field(t('picture.alt'), input, t('picture.alt_hint'))
  const src = place.element.getAttribute('src') ?? ''
  if (!alt && isUploaded(src)) tellKept(editor, src, shown)
  return shown
}

/** Show below a field the text stored with a file. @param {Editor} editor @param {string} src @param {HTMLElement} shown */
async function tellKept(editor, src, shown) {
  const picture = await findPicture(editor, src).catch(() => null)
  const hint = shown.querySelector('.ed-hint')
  if (picture?.alt && hint) hint.textContent = t('picture.alt_kept', { alt: picture.alt })
}

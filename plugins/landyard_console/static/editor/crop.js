// Cropping: part of a picture is cut out in the browser, and uploaded as a new picture.

import { shaped, whole, widened, within } from './crop_area.js'
import { dialog, field, h, t, tell } from './dom.js'
import { moveByKeys, moveByPointer } from './drag_handle.js'
import { fileName, findPicture } from './library.js'
import { placeContent } from './uploading.js'

/** @typedef {import('./crop_area.js').Cut} Cut */

// An animation would lose its other frames, and an SVG would become pixels.
const CUT = /^\/(?!\/).*\.(png|jpe?g|webp|avif)$/i
const RATIOS = { '1:1': 1, '4:3': 4 / 3, '3:2': 3 / 2, '16:9': 16 / 9, '3:4': 3 / 4 }
const SIDES = /** @type {const} */ (['left', 'top', 'width', 'height'])
const QUALITY = 0.92

/** A part of all pixels, at least one unless it is zero. @param {number} part @param {number} all */
const pixels = (part, all) => Math.sign(part) * Math.max(1, Math.abs(part * all))

/** Whether a picture can be cropped: only uploaded ones. @param {string} src */
export const canCrop = (src) => CUT.test(src)

/** @param {import('./editor.js').Editor} editor @param {string} blockId @param {import('./draft.js').Place} place @param {string} src */
export async function cropPicture(editor, blockId, place, src) {
  const picture = h('img', { src, alt: '' })
  try {
    await picture.decode()
  } catch {
    tell(t('crop.failed'), 'bad')
    return
  }
  const size = { width: picture.naturalWidth, height: picture.naturalHeight }
  const cutter = new Cutter(picture, size, shownRatio(editor, place))
  const box = dialog(
    t('crop.title'),
    [
      h('p', { class: 'ed-hint', id: 'crop-hint' }, t('crop.hint')),
      cutter.element,
      cutter.fields,
      h(
        'footer',
        {},
        h('button', { type: 'button', onclick: () => box.close() }, t('cancel')),
        h('button', { type: 'button', class: 'main', onclick: () => take() }, t('crop.crop'))
      )
    ],
    { wide: true }
  )
  cutter.focus()

  async function take() {
    box.close()
    const { cut } = cutter
    if (cut.width === size.width && cut.height === size.height) return
    const [content, extension] = contentOf(picture, cut, src)
    const name = `${fileName(src).replace(/(-cropped)?\.\w+$/, '')}-cropped.${extension}`
    const known = await findPicture(editor, src).catch(() => null)
    await placeContent(editor, blockId, place.key, name, content, known?.alt)
  }
}

/** The aspect ratio of a picture on the page; 0 if it is not shown. @param {import('./editor.js').Editor} editor @param {import('./draft.js').Place} place */
function shownRatio(editor, place) {
  const { width = 0, height = 0 } = editor.frame.node(place.block, place.key)?.getBoundingClientRect() ?? {}
  return width && height ? width / height : 0
}

/** The rectangle over a picture, and the fields with its numbers. */
class Cutter {
  #size
  #ratio = 0
  #frame
  /** @type {Record<string, HTMLInputElement>} */ #inputs = {}

  /** @param {HTMLImageElement} picture @param {import('./crop_area.js').Size} size @param {number} shown */
  constructor(picture, size, shown) {
    this.#size = size
    this.cut = whole(size)
    const grip = h('span', { class: 'ed-grip', 'aria-hidden': 'true' })
    this.#frame = h('div', { class: 'ed-cut', role: 'application', tabIndex: 0, 'aria-describedby': 'crop-hint' }, grip)
    this.element = h('div', { class: 'ed-cutter' }, picture, this.#frame)
    const { width, height } = size
    const by = (/** @type {number} */ x, /** @type {number} */ y) =>
      this.#set({ ...this.cut, left: this.cut.left + pixels(x, width), top: this.cut.top + pixels(y, height) })
    moveByKeys(this.#frame, {
      by,
      sized: (way) => this.#set(widened(this.cut, this.cut.width + pixels(way, width), this.#ratio, size))
    })
    moveByPointer(this.#frame, picture, by)
    moveByPointer(grip, picture, (x, y) => this.#pull(x * width, y * height))
    this.fields = h(
      'div',
      { class: 'ed-sides' },
      field(t('crop.ratio'), this.#ratios(shown)),
      ...SIDES.map((side) => this.#input(side))
    )
    this.#set(this.cut)
  }

  focus() {
    this.#frame.focus()
  }

  /** @param {number} shown */
  #ratios(shown) {
    const options = [
      h('option', { value: '0' }, t('crop.free')),
      ...(shown ? [h('option', { value: String(shown) }, t('crop.shown'))] : []),
      ...Object.entries(RATIOS).map(([name, ratio]) => h('option', { value: String(ratio) }, name))
    ]
    const select = h(
      'select',
      {
        onchange: () => {
          this.#ratio = Number(select.value)
          this.#set(shaped(this.cut, this.#ratio, this.#size))
        }
      },
      ...options
    )
    return select
  }

  /** @param {typeof SIDES[number]} side */
  #input(side) {
    const input = h('input', {
      type: 'number',
      min: '0',
      inputMode: 'numeric',
      onchange: () => {
        const given = { ...this.cut, [side]: Number(input.value) || 0 }
        if (this.#ratio && side === 'width') given.height = given.width / this.#ratio
        if (this.#ratio && side === 'height') given.width = given.height * this.#ratio
        this.#set(this.#ratio ? widened(given, given.width, this.#ratio, this.#size) : given)
      }
    })
    this.#inputs[side] = input
    return field(t(`crop.${side}`), input)
  }

  /** Move the dragged corner; the opposite one stays. @param {number} x @param {number} y */
  #pull(x, y) {
    const { left, top } = this.cut
    const width = Math.min(this.cut.width + x, this.#size.width - left)
    const height = Math.min(this.#ratio ? width / this.#ratio : this.cut.height + y, this.#size.height - top)
    this.#set({ left, top, height, width: this.#ratio ? height * this.#ratio : width })
  }

  /** @param {Cut} cut */
  #set(cut) {
    this.cut = within(cut, this.#size)
    const { width, height } = this.#size
    const part = (/** @type {number} */ of, /** @type {number} */ all) => `${(of / all) * 100}%`
    Object.assign(this.#frame.style, {
      left: part(this.cut.left, width),
      top: part(this.cut.top, height),
      width: part(this.cut.width, width),
      height: part(this.cut.height, height)
    })
    for (const side of SIDES) this.#inputs[side].value = String(this.cut[side])
    this.#frame.setAttribute('aria-label', t('crop.part', this.cut))
  }
}

/** The part in Base64, and the extension of its kind. @param {HTMLImageElement} picture @param {Cut} cut @param {string} src @returns {[string, string]} */
function contentOf(picture, cut, src) {
  const canvas = h('canvas', { width: cut.width, height: cut.height })
  canvas.getContext('2d')?.drawImage(picture, cut.left, cut.top, cut.width, cut.height, 0, 0, cut.width, cut.height)
  const kind = /\.png$/i.test(src) ? 'png' : /\.jpe?g$/i.test(src) ? 'jpeg' : 'webp'
  // A browser that cannot write the requested kind writes PNG.
  const [told, content] = canvas.toDataURL(`image/${kind}`, QUALITY).split(',')
  return [content, told.includes(`image/${kind}`) ? kind.replace('jpeg', 'jpg') : 'png']
}

// The scaling of the frame to the width of a desktop, tablet or telephone.

import { h, icon, t } from './dom.js'

/** The widths of screens in pixels. */
const WIDTHS = { desktop: 1280, tablet: 768, phone: 390 }
const NARROW = 700
/** The media query of screens without the width buttons; keep it equal to `editor.css`. */
export const SMALL = matchMedia('(max-width: 44rem)')
const SMALLEST = 0.3

export class Stage {
  /** @type {keyof WIDTHS} */ width
  #sheet

  /** @param {HTMLIFrameElement} frame */
  constructor(frame) {
    this.frame = frame
    this.width = 'desktop'
    this.#sheet = h('div', { class: 'ed-sheet' }, frame)
    this.element = h('div', { class: 'ed-stage' }, this.#sheet)
    this.choice = h(
      'div',
      { class: 'ed-widths', role: 'group', 'aria-label': t('width.label') },
      ...Object.keys(WIDTHS).map((name) =>
        h(
          'button',
          {
            type: 'button',
            class: 'ed-icon',
            title: t(`width.${name}`),
            'aria-label': t(`width.${name}`),
            dataset: { width: name },
            onclick: () => this.show(/** @type {keyof WIDTHS} */ (name))
          },
          icon(name)
        )
      )
    )
  }

  begin() {
    new ResizeObserver(() => this.#fit()).observe(this.element)
    this.show(this.width)
  }

  /** @param {keyof WIDTHS} width */
  show(width) {
    this.width = width
    for (const button of this.choice.querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(button.dataset.width === width))
    }
    this.#fit()
  }

  #fit() {
    const { clientWidth, clientHeight } = this.element
    if (!clientWidth) return
    const room = clientWidth - (clientWidth > NARROW ? 48 : 0)
    const shown = SMALL.matches ? 'phone' : this.width
    const width = shown === 'phone' && clientWidth < NARROW ? room : WIDTHS[shown]
    const scale = Math.max(SMALLEST, Math.min(1, room / width))
    const height = clientHeight - (clientWidth > NARROW ? 48 : 0)
    Object.assign(this.frame.style, {
      width: `${width}px`,
      height: `${Math.ceil(height / scale)}px`,
      transform: `scale(${scale})`
    })
    Object.assign(this.#sheet.style, { width: `${Math.floor(width * scale)}px`, height: `${height}px` })
  }
}

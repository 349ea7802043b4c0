// Moving an element on a picture by pointer or keys.

const STEPS = new Map([
  ['ArrowLeft', [-1, 0]],
  ['ArrowRight', [1, 0]],
  ['ArrowUp', [0, -1]],
  ['ArrowDown', [0, 1]]
])
const FRACTION = 50

/**
 * The callbacks: movement as parts of the picture's width and height, and steps of
 * resizing.
 * @typedef {object} Moved
 * @property {(x: number, y: number) => void} by
 * @property {(way: number) => void} [sized]
 */

/** Key steps are a fiftieth of the picture, with Shift a tenth of that. @param {HTMLElement} element @param {Moved} moved */
export function moveByKeys(element, { by, sized }) {
  element.addEventListener('keydown', (event) => {
    const step = (event.shiftKey ? 0.1 : 1) / FRACTION
    const [x, y] = STEPS.get(event.key) ?? [0, 0]
    const way = sized ? Number(event.key === '+' || event.key === '=') - Number(event.key === '-') : 0
    if (event.ctrlKey || event.metaKey || event.altKey || !(x || y || way)) return
    event.preventDefault()
    if (way) sized?.(way / FRACTION)
    else by(x * step, y * step)
  })
}

/** @param {HTMLElement} element @param {HTMLElement} picture @param {(x: number, y: number) => void} by */
export function moveByPointer(element, picture, by) {
  element.addEventListener('pointerdown', (event) => {
    if (event.button) return
    event.stopPropagation()
    event.preventDefault()
    element.focus()
    element.setPointerCapture(event.pointerId)
  })
  element.addEventListener('pointermove', (event) => {
    if (!element.hasPointerCapture(event.pointerId)) return
    const { width, height } = picture.getBoundingClientRect()
    by(event.movementX / width, event.movementY / height)
  })
}

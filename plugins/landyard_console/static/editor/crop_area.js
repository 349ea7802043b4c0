// The crop area of a picture: a rectangle in pixels, and its arithmetic.

/** @typedef {{left: number, top: number, width: number, height: number}} Cut */
/** @typedef {{width: number, height: number}} Size */

const SMALLEST = 8

/** @param {number} value @param {number} least @param {number} most */
const between = (value, least, most) => Math.min(Math.max(value, least), Math.max(least, most))

/** @param {Size} size @returns {Cut} */
export const whole = ({ width, height }) => ({ left: 0, top: 0, width, height })

/** The area clipped to the picture, in whole pixels. @param {Cut} cut @param {Size} size @returns {Cut} */
export function within(cut, size) {
  const width = between(Math.round(cut.width), Math.min(SMALLEST, size.width), size.width)
  const height = between(Math.round(cut.height), Math.min(SMALLEST, size.height), size.height)
  return {
    left: between(Math.round(cut.left), 0, size.width - width),
    top: between(Math.round(cut.top), 0, size.height - height),
    width,
    height
  }
}

/**
 * The area with another width around the same middle; `ratio` is width by height, 0 for any.
 * @param {Cut} cut @param {number} width @param {number} ratio @param {Size} size @returns {Cut}
 */
export function widened(cut, width, ratio, size) {
  const kept = ratio || cut.width / cut.height
  const fitting = between(width, SMALLEST, Math.min(size.width, size.height * kept))
  const height = fitting / kept
  return within(
    {
      left: cut.left + (cut.width - fitting) / 2,
      top: cut.top + (cut.height - height) / 2,
      width: fitting,
      height
    },
    size
  )
}

/** The largest area with this ratio around the same middle. @param {Cut} cut @param {number} ratio @param {Size} size @returns {Cut} */
export const shaped = (cut, ratio, size) =>
  ratio ? widened(cut, Math.max(cut.width, cut.height * ratio), ratio, size) : cut

// A block that is dragged to the first place is moved by two calls, behind the first and up: they are one step of undo, and one line.

/** @typedef {{id: number, block: number, user: number, date: string, method: string, undone: boolean}} Edit */

const TOGETHER = 5000 // milliseconds
const MOVED = 'landing.landing.moveblock'
const UP = 'landing.landing.upblock'

/** Whether two edits, one right after the other, are halves of one. @param {Edit | undefined} first @param {Edit | undefined} second */
export const areHalves = (first, second) =>
  first?.method === MOVED &&
  second?.method === UP &&
  first.block === second.block &&
  first.user === second.user &&
  Date.parse(second.date) - Date.parse(first.date) <= TOGETHER

/**
 * Whether an edit that was just undone or done again was half of one, so that the next step belongs to it.
 * @param {Edit[]} edits the latest first @param {number} id @param {boolean} isUndo
 */
export function isHalfDone(edits, id, isUndo) {
  const at = edits.findIndex((edit) => edit.id === id)
  if (at < 0) return false
  const [done, other] = [edits[at], edits[isUndo ? at + 1 : at - 1]]
  return other?.undone !== isUndo && (isUndo ? areHalves(other, done) : areHalves(done, other))
}

// Dragging a block to the first place takes two calls, which count as one edit in the history and
// for undo.

/** @typedef {{id: number, block: number, user: number, date: string, method: string, undone: boolean}} Edit */

const TOGETHER = 5000 // milliseconds
const MOVED = 'landing.landing.moveblock'
const UP = 'landing.landing.upblock'

/** Whether two consecutive edits belong to one drag. @param {Edit | undefined} first @param {Edit | undefined} second */
export const areHalves = (first, second) =>
  first?.method === MOVED &&
  second?.method === UP &&
  first.block === second.block &&
  first.user === second.user &&
  Date.parse(second.date) - Date.parse(first.date) <= TOGETHER

/**
 * Whether an edit just undone or redone is one of two of a drag, so that the other has to follow.
 * @param {Edit[]} edits the latest first @param {number} id @param {boolean} isUndo
 */
export function isHalfDone(edits, id, isUndo) {
  const at = edits.findIndex((edit) => edit.id === id)
  if (at < 0) return false
  const [done, other] = [edits[at], edits[isUndo ? at + 1 : at - 1]]
  return other?.undone !== isUndo && (isUndo ? areHalves(other, done) : areHalves(done, other))
}

// The differences between the draft and the published page, block by block.

/**
 * A block of either version; `active` is false if it is hidden.
 * @typedef {{name: string, text: string, html: string, active: boolean}} Shown
 * @typedef {'added' | 'removed' | 'changed' | 'hidden' | 'moved'} Kind
 * @typedef {{kind: Kind, name: string, now: string, later: string}} Difference
 */

/**
 * Pair equal blocks in order, then those with the same name, because a draft's ids differ from the published ones.
 * @param {Shown[]} published @param {Shown[]} draft
 */
export function differences(published, draft) {
  const now = published.filter((block) => block.active)
  const then = draft.filter((block) => block.active)
  const hidden = draft.filter((block) => !block.active)
  const left = new Set(now)
  /** @type {Map<Shown, Shown>} */ const pairs = new Map()
  const pair = (/** @type {Shown[]} */ blocks, /** @type {(one: Shown, other: Shown) => boolean} */ areAlike) => {
    for (const block of blocks.filter((each) => !pairs.has(each))) {
      const other = [...left].find((each) => areAlike(each, block))
      if (!other) continue
      left.delete(other)
      pairs.set(block, other)
    }
  }
  pair(then, (one, other) => one.html === other.html)
  pair(hidden, (one, other) => one.html === other.html)
  pair(then, (one, other) => one.name === other.name)
  pair(hidden, (one, other) => one.name === other.name)
  const stayed = longestRising(then.flatMap((block) => now.indexOf(pairs.get(block) ?? block)).filter((at) => at >= 0))
  /** @type {Difference[]} */
  const found = then.flatMap((block) => {
    const other = pairs.get(block)
    const kind = !other
      ? 'added'
      : other.html !== block.html
        ? 'changed'
        : stayed.has(now.indexOf(other))
          ? null
          : 'moved'
    return kind ? [{ kind, name: block.name, now: other?.text ?? '', later: block.text }] : []
  })
  const gone = (/** @type {Shown} */ block, /** @type {Kind} */ kind) => ({
    kind,
    name: block.name,
    now: block.text,
    later: ''
  })
  found.push(
    ...hidden.flatMap((block) => {
      const other = pairs.get(block)
      return other ? [gone(other, 'hidden')] : []
    })
  )
  found.push(...[...left].map((block) => gone(block, 'removed')))
  return { found, staysHidden: hidden.filter((block) => !pairs.has(block)).map((block) => block.name) }
}

/** The longest rising sequence of positions: the blocks there were not moved. @param {number[]} places @returns {Set<number>} */
function longestRising(places) {
  /** @type {number[][]} */ const ends = []
  for (const place of places) {
    const before = ends
      .filter((each) => (each.at(-1) ?? -1) < place)
      .reduce((one, other) => (other.length > one.length ? other : one), /** @type {number[]} */ ([]))
    ends.push([...before, place])
  }
  return new Set(ends.reduce((one, other) => (other.length > one.length ? other : one), []))
}

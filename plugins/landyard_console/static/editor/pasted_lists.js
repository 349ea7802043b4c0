// The lists in pasted content: nested, consecutive with levels, or as paragraphs of Word.

/**
 * An item. Items with the same `list`, or consecutive ones with 0, belong to one list.
 * @typedef {{list: number, level: number, ordered: boolean, start: number, runs: import('./pasting.js').Run[]}} Item
 */

const DEEPEST = 9
let lists = 0

/** The level given by an element itself, from one on; 0 if none. @param {Element} element */
export function levelOf(element) {
  const given = element.getAttribute('aria-level') ?? element.getAttribute('data-aria-level')
  const indent = element.getAttribute('data-indent') ?? element.getAttribute('data-stringify-indent')
  const level = given !== null ? Number(given) : indent !== null ? Number(indent) + 1 : 0
  return Number.isInteger(level) ? Math.max(0, Math.min(DEEPEST, level)) : 0
}

/** The common properties of a list's items. @param {Element} element @param {number} depth of lists around it @returns {Omit<Item, 'runs' | 'level'>} */
export function itemOf(element, depth) {
  const isLoose = levelOf(element) > 0 || [...element.children].some((child) => levelOf(child) > 0)
  if (depth === 0) lists += 1
  return {
    list: isLoose ? 0 : lists,
    ordered: element.localName === 'ol',
    start: Number(element.getAttribute('start')) || 1
  }
}

/** Read a paragraph of Word that is an item, and remove its bullet or number. @param {Element} element @returns {Omit<Item, 'runs'> | null} */
export function wordItem(element) {
  const match = /mso-list\s*:[^;]*\blevel(\d)/i.exec(element.getAttribute('style') ?? '')
  if (!match || element.localName === 'span' || element.localName === 'li') return null
  const marks = [...element.querySelectorAll('[style]')].filter((each) =>
    /mso-list\s*:\s*ignore/i.test(each.getAttribute('style') ?? '')
  )
  const sign = (marks[0]?.textContent ?? '').replace(/[\s\u00a0]+/g, '')
  for (const mark of marks) mark.remove()
  const ordered = /^\(?(?:\d+(?:\.\d+)*|[a-z]|[ivxlc]+)[.)]*$/i.test(sign) && !/^[o§·]$/.test(sign)
  const level = Number(match[1])
  return {
    list: 0,
    level,
    ordered,
    start: level === 1 && ordered ? Number.parseInt(sign.replace('(', ''), 10) || 1 : 1
  }
}

/**
 * Combine consecutive items into lists.
 * @param {(HTMLElement | Item)[]} blocks @param {(into: HTMLElement, runs: import('./pasting.js').Run[]) => HTMLElement} fill @returns {HTMLElement[]}
 */
export function listsOf(blocks, fill) {
  /** @type {HTMLElement[]} */
  const found = []
  /** The open lists, the outermost first. @type {{element: HTMLElement, level: number}[]} */
  let open = []
  let list = -1
  for (const block of blocks) {
    if (!('level' in block)) {
      found.push(block)
      open = []
      continue
    }
    const tag = block.ordered ? 'ol' : 'ul'
    while (open.length > 1 && (open.at(-1)?.level ?? 0) > block.level) open.pop()
    if (open.length === 1 && open[0].level > block.level) open[0].level = block.level
    const last = open.at(-1)
    const isDeeper = last !== undefined && block.level > last.level && last.element.lastElementChild !== null
    if (!isDeeper && last && (last.element.localName !== tag || (open.length === 1 && list !== block.list))) open.pop()
    list = block.list
    if (!open.length || isDeeper || (open.at(-1)?.level ?? 0) < block.level) {
      const made = document.createElement(tag)
      if (block.ordered && block.start > 1) made.setAttribute('start', String(block.start))
      const around = open.at(-1)?.element.lastElementChild
      if (around) around.append(made)
      else found.push(made)
      open.push({ element: made, level: block.level })
    }
    open.at(-1)?.element.append(fill(document.createElement('li'), block.runs))
  }
  return found
}

// The parser of clipboard content, which keeps structure and emphasis only.

import { elementsFor, inside, PLAIN, Styles } from './emphasis.js'
import { parse, readInside } from './markup.js'
import { itemOf, levelOf, listsOf, wordItem } from './pasted_lists.js'
import { tableOf } from './pasted_tables.js'

/**
 * @typedef {import('./emphasis.js').Emphasis} Emphasis
 * @typedef {import('./pasted_lists.js').Item} Item
 * @typedef {{text: string, emphasis: Emphasis}} Run a text, or a line break where it is `\n`
 * @typedef {Run | HTMLElement | Item} Part what stands in a line, a block, or an item of a list
 */

const DROPPED =
  'script, meta, link, title, template, iframe, object, embed, svg, math, noscript, textarea, select, input, button > svg, xml, img, picture, video, audio, canvas, br.Apple-interchange-newline'
const HEADING = /^h[1-6]$/
const BLOCK =
  /^(?:address|article|aside|body|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|header|hgroup|html|main|nav|p|section|summary)$/
/** Non-breaking spaces are kept where they are intended: in numbers, and at French punctuation. */
const MEANT = /(?<=[«‹–—\d])\u00a0|\u00a0(?=[»›:;!?%€$£°–—])/g
const MARK = '\ue000'

/** Reads the content of an element. */
export class Reader {
  /** @param {Styles} styles @param {boolean} inLines */
  constructor(styles, inLines) {
    this.styles = styles
    this.inLines = inLines
  }

  /** @param {Node} node @param {Emphasis} emphasis @param {number} [depth] of lists around it @returns {Part[]} */
  partsIn(node, emphasis, depth = 0) {
    return [...node.childNodes].flatMap((child) => this.#partsOf(child, emphasis, depth))
  }

  /** @param {Node} node @param {Emphasis} around @param {number} depth @returns {Part[]} */
  #partsOf(node, around, depth) {
    if (node.nodeType === Node.TEXT_NODE) return [{ text: blanksIn(node.nodeValue ?? ''), emphasis: around }]
    if (node.nodeType !== Node.ELEMENT_NODE) return []
    const element = /** @type {Element} */ (node)
    const tag = element.localName
    const declared = this.styles.of(element)
    if (tag === 'style' || declared.hidden) return []
    if (tag === 'br') return [{ text: '\n', emphasis: PLAIN }]
    const emphasis = inside(element, declared, around)
    const item = wordItem(element)
    if (item) return [{ ...item, runs: this.runsIn(element, emphasis) }]
    if (HEADING.test(tag)) return this.#heading(element, emphasis)
    switch (tag) {
      case 'ul':
      case 'ol':
        return this.#list(element, emphasis, depth)
      case 'li':
        return [
          this.#item(element, emphasis, { list: 0, level: levelOf(element) || 1, ordered: false, start: 1 }, depth)
        ].flat()
      case 'table':
        return tableOf(this, element, emphasis)
      case 'pre':
        return this.inLines ? [codeOf(element)] : codeLines(element, emphasis)
      case 'blockquote':
        return [this.#quote(element, emphasis)]
      case 'hr':
        return this.inLines ? [make('hr')] : []
    }
    const parts = this.partsIn(element, emphasis, depth)
    // An inline element around blocks is ignored, such as the `<b>` that Google Docs puts around
    // everything.
    return BLOCK.test(tag) ? blocksOf(parts) : parts
  }

  /** The content of an element on one line, with line breaks between its blocks. @param {Node} element @param {Emphasis} emphasis @returns {Run[]} */
  runsIn(element, emphasis) {
    return runsOf(this.partsIn(element, emphasis))
  }

  /** @param {Element} element @param {Emphasis} emphasis @returns {Part[]} */
  #heading(element, emphasis) {
    const runs = unbolded(this.runsIn(element, emphasis))
    return isEmpty(runs) ? [] : [fill(make(element.localName), runs)]
  }

  /** @param {Element} element @param {Emphasis} emphasis */
  #quote(element, emphasis) {
    const quote = make('blockquote')
    quote.append(...finished(blocksOf(this.partsIn(element, emphasis))))
    return quote
  }

  /** @param {Element} element @param {Emphasis} emphasis @param {number} depth @returns {Part[]} */
  #list(element, emphasis, depth) {
    const own = { ...itemOf(element, depth), level: levelOf(element) || depth + 1 }
    /** @type {Part[]} */
    const found = []
    for (const child of element.children) {
      const emphasised = inside(child, this.styles.of(child), emphasis)
      if (this.styles.of(child).hidden) continue
      if (child.localName === 'ul' || child.localName === 'ol') found.push(...this.#list(child, emphasis, depth + 1))
      else found.push(...this.#item(child, emphasised, { ...own, level: levelOf(child) || own.level }, depth))
    }
    return found
  }

  /** @param {Element} element @param {Emphasis} emphasis @param {Omit<Item, 'runs'>} own @param {number} depth @returns {Part[]} */
  #item(element, emphasis, own, depth) {
    const parts = this.partsIn(element, emphasis, depth + 1)
    const isNested = (/** @type {Part} */ part) => 'level' in part
    const runs = runsOf(parts.filter((part) => !isNested(part)))
    return [...(isEmpty(runs) ? [] : [{ ...own, runs }]), ...parts.filter(isNested)]
  }
}

/** @param {string} tag */
const make = (tag) => document.createElement(tag)

/** Replace white space by single blanks. @param {string} text */
const blanksIn = (text) =>
  text
    .replace(/[ \t\n\r\f]+/g, ' ')
    .replace(MEANT, MARK)
    .replace(/[ \u00a0]+/g, ' ')
    .replaceAll(MARK, '\u00a0')
    .replace(/[\u200b\ufeff]/g, '')

/** @param {Run[]} runs */
export const isEmpty = (runs) => runs.every(({ text }) => !text.trim())

/** @param {Part} part @returns {part is Run} */
const isRun = (part) => 'text' in part && 'emphasis' in part

/** Remove bold from a heading that is entirely bold. @param {Run[]} runs */
export function unbolded(runs) {
  const isWhole = runs.every(({ text, emphasis }) => emphasis.bold || !text.trim())
  return isWhole ? runs.map((run) => ({ ...run, emphasis: { ...run.emphasis, bold: false } })) : runs
}

/** @param {Part[]} parts @returns {Run[]} */
export function runsOf(parts) {
  /** @type {Run[]} */
  const found = []
  const apart = { text: '\n', emphasis: PLAIN }
  let isApart = false
  for (const part of parts) {
    const inner = isRun(part) ? [part] : 'level' in part ? part.runs : readBack(part)
    if (!isRun(part)) isApart = true
    if (isEmpty(inner) && !isRun(part)) continue
    if (isApart && !isEmpty(found) && !isEmpty(inner)) found.push(apart)
    if (!isEmpty(inner)) isApart = !isRun(part)
    found.push(...inner)
  }
  return found
}

/** The runs of a block made by this module. @param {Element} element @returns {Run[]} */
const readBack = (element) => new Reader(new Styles(document.createDocumentFragment()), false).runsIn(element, PLAIN)

/** Combine inline parts into paragraphs, which two line breaks end. @param {Part[]} parts @returns {(HTMLElement | Item)[]} */
export function blocksOf(parts) {
  /** @type {(HTMLElement | Item)[]} */
  const blocks = []
  /** @type {Run[]} */
  let line = []
  const end = () => {
    if (!isEmpty(line)) blocks.push(fill(make('p'), line))
    line = []
  }
  for (const part of parts) {
    if (!isRun(part)) {
      end()
      blocks.push(part)
      continue
    }
    const last = line.findLast(({ text }) => text === '\n' || text.trim())
    if (part.text === '\n' && last?.text === '\n') end()
    else line.push(part)
  }
  end()
  return blocks
}

/** @param {(HTMLElement | Item)[]} blocks @returns {HTMLElement[]} */
const finished = (blocks) => listsOf(blocks, fill)

/**
 * Put runs into an element, without blanks and breaks at its ends.
 * @template {HTMLElement} Made @param {Made} into @param {Run[]} runs @returns {Made}
 */
export function fill(into, runs) {
  /** @type {{tag: string, href: string, element: HTMLElement}[]} */
  let open = []
  const kept = trimmed(runs)
  for (const [at, { text, emphasis }] of kept.entries()) {
    // A line break is outside of elements that end before it.
    const target = elementsFor(
      text === '\n' ? (kept.slice(at).find((run) => run.text !== '\n')?.emphasis ?? emphasis) : emphasis
    )
    let depth = 0
    while (depth < open.length && target[depth]?.tag === open[depth].tag && target[depth].href === open[depth].href)
      depth += 1
    open = open.slice(0, depth)
    for (const { tag, href } of text === '\n' ? [] : target.slice(depth)) {
      const element = make(tag)
      if (href) element.setAttribute('href', href)
      ;(open.at(-1)?.element ?? into).append(element)
      open = [...open, { tag, href, element }]
    }
    ;(open.at(-1)?.element ?? into).append(text === '\n' ? make('br') : text)
  }
  return into
}

/** @param {Run[]} runs @returns {Run[]} */
function trimmed(runs) {
  const kept = runs.map((run) => ({ ...run }))
  const isBlank = (/** @type {Run | undefined} */ run) => run !== undefined && !run.text.trim()
  while (isBlank(kept[0])) kept.shift()
  while (isBlank(kept.at(-1))) kept.pop()
  kept.forEach((run, at) => {
    if (run.text === '\n') return
    const [before, after] = [kept[at - 1], kept[at + 1]]
    if (!before || /[ \n]$/.test(before.text)) run.text = run.text.replace(/^ /, '')
    if (!after || after.text === '\n') run.text = run.text.replace(/ $/, '')
  })
  // A blank is not emphasised, but put beside the emphasised word.
  return kept
    .filter(({ text }) => text)
    .map((run) => (run.text.trim() || run.text === '\n' || run.emphasis.href ? run : { ...run, emphasis: PLAIN }))
}

/** @param {Element} element */
function codeOf(element) {
  const pre = make('pre')
  const inner = element.querySelector('code') ? pre.appendChild(make('code')) : pre
  for (const each of element.querySelectorAll('br')) each.replaceWith('\n')
  inner.textContent = (element.textContent ?? '').replace(/\n$/, '')
  return pre
}

/** Code on one line, with line breaks between its lines. @param {Element} element @param {Emphasis} emphasis @returns {Run[]} */
function codeLines(element, emphasis) {
  const tags = element.querySelector('code') ? [...emphasis.tags, 'code'] : emphasis.tags
  const lines = codeOf(element).textContent?.split('\n') ?? []
  return lines.flatMap((text, at) => [
    ...(at ? [{ text: '\n', emphasis: PLAIN }] : []),
    { text: text.trim(), emphasis: { ...emphasis, tags } }
  ])
}

/** If there are headings of level 1, which the page itself has, move all one level down. @param {HTMLElement[]} blocks */
function rankDown(blocks) {
  if (!blocks.some((each) => each.localName === 'h1')) return blocks
  return blocks.map((each) => {
    if (!HEADING.test(each.localName)) return each
    const lower = make(`h${Math.min(6, Number(each.localName[1]) + 1)}`)
    lower.append(...each.childNodes)
    return lower
  })
}

/**
 * Parse HTML of the clipboard as a document, or as a phrase if it is only part of a line.
 * @param {string} html @param {boolean} inLines whether lines, lists and tables are possible there
 */
export function readPasted(html, inLines) {
  const root = parse(html)
  const styles = new Styles(root)
  for (const each of root.querySelectorAll(DROPPED)) each.remove()
  const parts = new Reader(styles, inLines).partsIn(root, PLAIN)
  const holder = document.createDocumentFragment()
  if (parts.every(isRun) && !isDivided(parts)) fill(/** @type {any} */ (holder), parts)
  else holder.append(...rankDown(finished(blocksOf(parts))))
  return readInside(holder)
}

/** Whether there are two consecutive line breaks. @param {Run[]} runs */
const isDivided = (runs) => /\S.*\n\s*\n.*\S/s.test(runs.map(({ text }) => text).join(''))

/**
 * Parse plain text of the clipboard as a document, in which empty lines end paragraphs.
 * @param {string} text @param {boolean} inLines whether paragraphs are possible there
 */
export function readPastedText(text, inLines) {
  const holder = document.createElement('div')
  const clean = text.replace(/\r\n?/g, '\n').replace(/^\n+|\n+$/g, '')
  const paragraphs = inLines ? clean.split(/\n{2,}/) : [clean]
  for (const paragraph of paragraphs) {
    const into = inLines ? holder.appendChild(document.createElement('p')) : holder
    for (const [at, line] of paragraph.split('\n').entries()) {
      into.append(...(at ? [document.createElement('br'), line] : [line]))
    }
  }
  return readInside(parse(holder.innerHTML))
}

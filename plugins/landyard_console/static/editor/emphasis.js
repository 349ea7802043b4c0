// The emphasis of pasted text: from elements, their styles, or a pasted style sheet.

/**
 * The emphasis of a piece of text. `tags` are elements that are kept, such as `code`.
 * @typedef {{bold: boolean, italic: boolean, underline: boolean, strike: boolean, raised: '' | 'sup' | 'sub', href: string, tags: string[]}} Emphasis
 * @typedef {{fontWeight?: string, fontStyle?: string, decoration?: string, verticalAlign?: string, hidden?: boolean}} Declared
 */

/** @type {Emphasis} */
export const PLAIN = { bold: false, italic: false, underline: false, strike: false, raised: '', href: '', tags: [] }

const OWN = new Set(['abbr', 'code', 'del', 'ins', 'kbd', 'mark', 'q', 'samp', 'small'])
const HEADING = /^(?:h[1-6]|th)$/
const INLINE = /^(?:a|b|em|font|i|label|s|span|strong|u)$/
const SAFE = /^(?:https?:|mailto:|tel:|\/|#)/i
/** The order of nesting of the elements. */
const FORMATS = /** @type {const} */ ([
  ['bold', 'strong'],
  ['italic', 'em'],
  ['underline', 'u'],
  ['strike', 's']
])

/** The style declarations for elements. */
export class Styles {
  /** @type {Map<Element, Declared>} */ #declared = new Map()

  /** @param {DocumentFragment} root a fragment whose style sheets are read */
  constructor(root) {
    for (const { textContent } of root.querySelectorAll('style')) this.#read(textContent ?? '', root)
  }

  /** @param {Element} element @returns {Declared} */
  of(element) {
    const own = /** @type {HTMLElement} */ (element).style
    return {
      ...this.#declared.get(element),
      ...(own ? declaredIn(own) : {}),
      ...(/mso-hide\s*:\s*all/i.test(element.getAttribute('style') ?? '') ? { hidden: true } : {})
    }
  }

  /** @param {string} text @param {DocumentFragment} root */
  #read(text, root) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text.replace(/<!--|-->/g, ''))
    for (const rule of /** @type {Iterable<any>} */ (sheet.cssRules)) {
      const declared = rule.style ? declaredIn(rule.style) : {}
      if (!rule.selectorText || !Object.keys(declared).length) continue
      for (const element of root.querySelectorAll(
        rule.selectorText.replace(/::?(?:before|after|marker|first-line|first-letter)\b/g, ':not(*)')
      )) {
        this.#declared.set(element, { ...this.#declared.get(element), ...declared })
      }
    }
  }
}

/** @param {CSSStyleDeclaration} style @returns {Declared} */
function declaredIn(style) {
  /** @type {Declared} */
  const found = {}
  if (style.fontWeight) found.fontWeight = style.fontWeight
  if (style.fontStyle) found.fontStyle = style.fontStyle
  const decoration = style.textDecorationLine || style.textDecoration
  if (decoration) found.decoration = decoration
  if (style.verticalAlign) found.verticalAlign = style.verticalAlign
  if (style.display === 'none' || style.visibility === 'hidden') found.hidden = true
  return found
}

/**
 * The emphasis inside an element. Being a heading does not count as bold.
 * @param {Element} element @param {Declared} declared @param {Emphasis} around @returns {Emphasis}
 */
export function inside(element, declared, around) {
  const tag = element.localName
  const found = { ...around }
  if (tag === 'b' || tag === 'strong') found.bold = true
  if (tag === 'i' || tag === 'em') found.italic = true
  if (tag === 'u') found.underline = true
  if (tag === 's' || tag === 'strike') found.strike = true
  if (tag === 'sup' || tag === 'sub') found.raised = tag
  if (OWN.has(tag) && !found.tags.includes(tag)) found.tags = [...found.tags, tag]
  if (tag === 'a') found.href = hrefOf(element) || around.href
  if (HEADING.test(tag)) return { ...found, bold: false }
  const { fontWeight, fontStyle, decoration, verticalAlign } = declared
  if (fontWeight && fontWeight !== 'inherit') found.bold = isBold(fontWeight, found.bold)
  if (fontStyle && fontStyle !== 'inherit') found.italic = /^(?:italic|oblique)/.test(fontStyle)
  if (decoration) {
    // Outer underline and strike continue inside; an element can only remove its own.
    found.underline = decoration.includes('underline') || around.underline
    found.strike = decoration.includes('line-through') || around.strike
  }
  if (INLINE.test(tag) && (verticalAlign === 'super' || verticalAlign === 'sub'))
    found.raised = verticalAlign === 'sub' ? 'sub' : 'sup'
  return found
}

/** @param {string} weight @param {boolean} around */
function isBold(weight, around) {
  if (/^(?:initial|unset|revert)/.test(weight)) return around && weight !== 'initial'
  return weight === 'bold' || weight === 'bolder' || Number(weight) >= 600
}

/** @param {Element} element */
function hrefOf(element) {
  const href = element.getAttribute('href')?.trim() ?? ''
  return SAFE.test(href) ? href : ''
}

/**
 * The elements around a piece of text, the outermost first; links need no underline element.
 * @param {Emphasis} emphasis @returns {{tag: string, href: string}[]}
 */
export function elementsFor(emphasis) {
  const { href, raised, tags } = emphasis
  const marks = FORMATS.filter(
    ([name]) =>
      emphasis[name] &&
      !(name === 'underline' && (href || tags.includes('ins'))) &&
      !(name === 'strike' && tags.includes('del'))
  )
  return [...(href ? ['a'] : []), ...marks.map(([, tag]) => tag), ...tags, ...(raised ? [raised] : [])].map((tag) => ({
    tag,
    href: tag === 'a' ? href : ''
  }))
}

// The values to send for nodes with typed text.

/** @typedef {import('./draft.js').Place} Place */

/** Whether a link contains text, not only a picture. @param {Place} place */
export const isOfText = (place) => Boolean(place.element.textContent?.trim()) || !place.element.firstElementChild

/** The value of a node with typed text; a link keeps its address. @param {Place} place @param {string} html */
export function valueToSend(place, html) {
  if (place.kind !== 'link') return html
  const at = (/** @type {string} */ name) => place.element.getAttribute(name)
  const attrs = Object.fromEntries(
    ['data-embed', 'data-url'].map((name) => [name, at(name)]).filter(([, value]) => value !== null)
  )
  return { text: html, target: at('target') ?? '', attrs }
}

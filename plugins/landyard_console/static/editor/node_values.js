// What is sent for a node whose text was typed.

/** @typedef {import('./draft.js').Place} Place */

/** Whether a link holds a text, and not a picture alone. @param {Place} place */
export const isOfText = (place) => Boolean(place.element.textContent?.trim()) || !place.element.firstElementChild

/** What is sent for a node whose text was typed: a link keeps its address. @param {Place} place @param {string} html */
export function valueToSend(place, html) {
  if (place.kind !== 'link') return html
  const at = (/** @type {string} */ name) => place.element.getAttribute(name)
  const attrs = Object.fromEntries(
    ['data-embed', 'data-url'].map((name) => [name, at(name)]).filter(([, value]) => value !== null)
  )
  return { text: html, target: at('target') ?? '', attrs }
}

/** Elements: events that are heard wherever an element is or comes to be, and what every screen has. */
import made from '../vendor/htmx.js'

/** @type {any} htmx brings no types */
export const htmx = made

/**
 * Hear of events within elements of a selector; `act` is given the nearest one.
 * @param {string} kind @param {string} selector
 * @param {(element: any, event: any) => unknown} act  an element and an event of the kind that they are
 */
export function on(kind, selector, act) {
  document.addEventListener(kind, (event) => {
    const found = event.target instanceof Element && event.target.closest(selector)
    if (found) act(found, event)
  })
}

/**
 * The element of an id.
 * @param {string} id @returns {any} an element of its own kind
 */
export const byId = (id) => document.getElementById(id)

/**
 * What a template says as text, or "" where there is none.
 * @param {string} id @returns {string}
 */
export const saidBy = (id) => byId(id)?.content.textContent ?? ''

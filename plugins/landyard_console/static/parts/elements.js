/** Delegated events for elements by selector, also for later ones, and look-up of elements. */
import made from '../vendor/htmx.js'

/** @type {any} htmx has no types */
export const htmx = made

/**
 * Listen to events within elements of a selector; `act` gets the nearest such element.
 * @param {string} kind @param {string} selector
 * @param {(element: any, event: any) => unknown} act  with an element and an event of their actual types
 */
export function on(kind, selector, act) {
  document.addEventListener(kind, (event) => {
    const found = event.target instanceof Element && event.target.closest(selector)
    if (found) act(found, event)
  })
}

/**
 * The element with an id.
 * @param {string} id @returns {any} an element of its actual type
 */
export const byId = (id) => document.getElementById(id)

/**
 * The text of a template, or "" if there is none.
 * @param {string} id @returns {string}
 */
export const saidBy = (id) => byId(id)?.content.textContent ?? ''

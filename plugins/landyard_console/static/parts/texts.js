/** The texts for JavaScript, from `<template id="texts">` of the page. */
import { saidBy } from './elements.js'

/** @type {Record<string, string>} */
const texts = JSON.parse(saidBy('texts') || '{}')

/**
 * The text of a key, with each `{name}` replaced.
 * @param {string} key @param {Record<string, unknown>} [values] @returns {string}
 */
export function text(key, values = {}) {
  return Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(`{${name}}`, String(value)),
    texts[key] ?? key
  )
}

/** Texts that JavaScript says: the page brings them in `<template id="texts">`, apart from code. */
import { saidBy } from './elements.js'

/** @type {Record<string, string>} */
const texts = JSON.parse(saidBy('texts') || '{}')

/**
 * The text of a key, with `{name}` filled in.
 * @param {string} key @param {Record<string, unknown>} [values] @returns {string}
 */
export function text(key, values = {}) {
  return Object.entries(values).reduce(
    (said, [name, value]) => said.replaceAll(`{${name}}`, String(value)),
    texts[key] ?? key
  )
}

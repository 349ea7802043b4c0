/** Texts that JavaScript says: the page brings them in `<template id="texts">`, apart from code. */
const node = document.getElementById('texts')
const texts = node ? JSON.parse(node.content.textContent) : {}

/** The text of a key, with `{name}` filled in. */
export function text (key, values = {}) {
  return Object.entries(values).reduce(
    (said, [name, value]) => said.replaceAll(`{${name}}`, String(value)), texts[key] ?? key)
}

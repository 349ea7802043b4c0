// Helpers to make the editor's elements and to look up its texts.

import { holdFocus } from '../parts/focus_return.js'
import { tell as say } from '../parts/notifications.js'

/** @type {Record<string, string>} */
let texts = {}
let sprite = ''

/** @param {Record<string, string>} translations @param {string} icons the address of the icons */
export function setTexts(translations, icons) {
  texts = translations
  sprite = icons
}

/**
 * The text of a key, with each `{name}` replaced by a value.
 * @param {string} key @param {Record<string, unknown>} [values]
 */
export function t(key, values = {}) {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all))
}

/**
 * Make an element. Properties that begin with `on` are listeners, `class` and those with a dash are
 * attributes; values `false`, `null` or undefined are left out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Record<string, any>} [properties] @param {...(Node | string | null | false | undefined)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name === 'dataset') Object.assign(element.dataset, value)
    else if (name in element && !/^(list|form|role|type)$/.test(name)) /** @type {any} */ (element)[name] = value
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(
    ...children
      .filter((child) => child !== null && child !== false && child !== undefined)
      .map((child) => /** @type {Node | string} */ (child))
  )
  return element
}

/** @param {string} name */
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('aria-hidden', 'true')
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use')
  use.setAttribute('href', `${sprite}#${name}`)
  svg.append(use)
  return svg
}

/**
 * A button with only an icon; its label is for screen readers and the tooltip.
 * @param {string} name of the icon @param {string} label @param {(event: Event) => void} act @param {Record<string, any>} [more]
 */
export const iconButton = (name, label, act, more = {}) =>
  h(
    'button',
    { type: 'button', class: 'ed-icon', title: label, 'aria-label': label, onclick: act, ...more },
    icon(name)
  )

/**
 * A field with its label.
 * @param {string} label @param {HTMLElement} input @param {string} [hint]
 */
export function field(label, input, hint) {
  input.id ||= `f${Math.random().toString(36).slice(2)}`
  const hintElement = hint ? h('p', { class: 'ed-hint', id: `${input.id}-hint` }, hint) : null
  if (hintElement) input.setAttribute('aria-describedby', hintElement.id)
  return h('div', { class: 'ed-field' }, h('label', { htmlFor: input.id }, label), input, hintElement)
}

/** Show a message briefly, also to screen readers. @param {string} text @param {'good' | 'bad'} [kind] */
export const tell = (text, kind = 'good') => say(text, { bad: kind === 'bad' })

/** Remove a message that no longer applies. @param {string} text */
export function untell(text) {
  for (const line of document.querySelectorAll('.toast')) if (line.textContent === text) line.remove()
}

/**
 * Show a modal dialog, which is removed when closed.
 * @param {string} title @param {(Node | string | null)[]} content @param {{wide?: boolean, closed?: () => void, stays?: boolean}} [options]
 */
export function dialog(title, content, { wide = false, closed, stays = false } = {}) {
  const heading = h('h2', { id: `d${Math.random().toString(36).slice(2)}` }, title)
  const close = stays ? null : iconButton('close', t('close'), () => box.close())
  const box = h(
    'dialog',
    { class: wide ? 'ed-dialog wide' : 'ed-dialog', 'aria-labelledby': heading.id },
    h('header', {}, heading, close),
    ...content
  )
  const giveBack = holdFocus()
  box.addEventListener('close', () => {
    box.remove()
    giveBack()
    closed?.()
  })
  if (stays) box.addEventListener('cancel', (event) => event.preventDefault())
  document.querySelector('.ed')?.append(box)
  box.showModal()
  return box
}

/** @param {Date} date */
export const timeText = (date) =>
  date.toLocaleString(document.documentElement.lang || undefined, { dateStyle: 'medium', timeStyle: 'short' })

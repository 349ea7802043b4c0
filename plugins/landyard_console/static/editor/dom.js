// Elements of the editor, and its texts.

import { holdFocus } from '../parts/held_focus.js'
import { tell as say } from '../parts/telling.js'

/** @type {Record<string, string>} */
let texts = {}
let sprite = ''

/** @param {Record<string, string>} given @param {string} icons the address of the icons */
export function setTexts(given, icons) {
  texts = given
  sprite = icons
}

/**
 * The text of a key; `{name}` in it stands for a value.
 * @param {string} key @param {Record<string, unknown>} [values]
 */
export function t(key, values = {}) {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all))
}

/**
 * Make an element. Properties that begin with `on` are listeners, `class` and those with a dash are
 * attributes; what is `false`, `null` or absent is left out.
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
 * A button with an icon alone; its name is read out, and shown when it is pointed at.
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
  const told = hint ? h('p', { class: 'ed-hint', id: `${input.id}-hint` }, hint) : null
  if (told) input.setAttribute('aria-describedby', told.id)
  return h('div', { class: 'ed-field' }, h('label', { htmlFor: input.id }, label), input, told)
}

/** Say something for a moment, also to who does not look. @param {string} text @param {'good' | 'bad'} [kind] */
export const tell = (text, kind = 'good') => say(text, { bad: kind === 'bad' })

/** Take back what was said, once it is no longer so. @param {string} text */
export function untell(text) {
  for (const line of document.querySelectorAll('.toast')) if (line.textContent === text) line.remove()
}

/**
 * A dialog in front of everything; it is gone once it is closed.
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

/**
 * Panels that plugins bring for types of nodes. A plugin's module exports as its default
 *
 *     export default function panel ({ value, change, node }) { …; return element }
 *
 * It draws `value` into an element, and calls `change(value)` when somebody has changed it: the editor saves
 * it. What throws, or is not there within two seconds, leaves a generic panel with its name and the error;
 * `?plain` in the address starts without strangers' modules.
 */
import { saidBy } from './elements.js'

const WITHIN = 2000
/** @type {Record<string, {plugin: string, module: string}>} */
const known = JSON.parse(saidBy('panels') || '{}')

/**
 * Whether a plugin has a panel for a type of nodes.
 * @param {string} type
 */
export const hasPanel = type => Object.hasOwn(known, type)

/**
 * The panel of a node, drawn by the plugin's module or else generic.
 * @param {string} type @param {{value: unknown, change: (value: unknown) => void, node?: object}} given
 * @returns {Promise<HTMLElement>}
 */
export async function panelFor (type, given) {
  const { plugin, module } = known[type] ?? { plugin: '', module: '' }
  try {
    if (!module) throw new Error(type)
    const { default: make } = await within(import(module))
    const element = await within(Promise.resolve(make(given)))
    if (!(element instanceof HTMLElement)) throw new TypeError('it drew no element')
    return element
  } catch (error) {
    return generic(plugin, error, given)
  }
}

/** @template T @param {Promise<T>} work @returns {Promise<T>} */
function within (work) {
  const late = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('not there within two seconds')), WITHIN)
  })
  return Promise.race([work, late])
}

/**
 * @param {string} plugin @param {any} error whatever was thrown
 * @param {{value: unknown, change: (value: unknown) => void}} given
 */
function generic (plugin, error, { value, change }) {
  const box = document.createElement('div')
  const told = document.createElement('p')
  const field = document.createElement('textarea')
  told.className = 'notice bad'
  told.textContent = `${plugin}: ${error.message}`
  field.setAttribute('aria-label', plugin || 'value')
  field.value = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  field.addEventListener('change', () => {
    try {
      change(typeof value === 'string' ? field.value : JSON.parse(field.value))
      field.setCustomValidity('')
    } catch (wrong) {
      field.setCustomValidity(String(wrong))
      field.reportValidity()
    }
  })
  box.append(told, field)
  return box
}

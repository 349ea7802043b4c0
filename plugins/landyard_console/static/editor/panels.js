/**
 * Panels that plugins bring for types of nodes. A plugin's module exports as its default
 *
 *     export default function panel ({ value, change, node }) { …; return element }
 *
 * It draws `value` into an element, and calls `change(value)` when somebody has changed it: the editor saves
 * it. `?plain` in the address starts without strangers' modules.
 */
import { saidBy } from '../parts/elements.js'
import { t } from './dom.js'

const WITHIN = 2000
/** @type {Record<string, {plugin: string, module: string}>} */
const known = JSON.parse(saidBy('panels') || '{}')

/**
 * The plugin that has a panel for a type of nodes, or nothing.
 * @param {string} type
 */
export const pluginOf = (type) => (Object.hasOwn(known, type) ? known[type].plugin : '')

/**
 * The panel of a node, as the plugin's module draws it. What throws, or is not there within two seconds,
 * rejects with a text that says so.
 * @param {string} type one that `pluginOf` knows @param {{value: string, change: (value: unknown) => void, node: object}} given
 * @returns {Promise<HTMLElement>}
 */
export function panelFor(type, given) {
  const late = new Promise((_resolve, reject) => {
    setTimeout(() => reject(t('brought.late')), WITHIN)
  })
  return Promise.race([draw(known[type].module, given), late])
}

/** @param {string} module @param {object} given */
async function draw(module, given) {
  try {
    const { default: make } = await import(module)
    if (typeof make !== 'function') throw t('brought.no_function')
    const element = await make(given)
    if (!(element instanceof HTMLElement)) throw t('brought.no_element')
    return element
  } catch (error) {
    throw error instanceof Error ? error.message : String(error) // whatever was thrown
  }
}

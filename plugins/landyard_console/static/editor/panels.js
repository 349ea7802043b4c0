/**
 * The panels of plugins for node types. A plugin's module exports as its default
 *
 *     export default function panel ({ value, change, node }) { …; return element }
 *
 * It shows `value` in an element, and calls `change(value)` when a user has changed it; the editor saves
 * it. `?plain` in the address starts without modules of plugins.
 */
import { saidBy } from '../parts/elements.js'
import { t } from './dom.js'

const WITHIN = 2000
/** @type {Record<string, {plugin: string, module: string}>} */
const panels = JSON.parse(saidBy('panels') || '{}')

/**
 * The plugin that has a panel for a node type, or undefined.
 * @param {string} type
 */
export const pluginOf = (type) => (Object.hasOwn(panels, type) ? panels[type].plugin : '')

/**
 * The panel of a node from the plugin's module. Rejects with an explanation if the module throws, or
 * does not return within two seconds.
 * @param {string} type a type for which `pluginOf` has a plugin @param {{value: string, change: (value: unknown) => void, node: object}} given
 * @returns {Promise<HTMLElement>}
 */
export function panelFor(type, given) {
  const late = new Promise((_resolve, reject) => {
    setTimeout(() => reject(t('brought.late')), WITHIN)
  })
  return Promise.race([draw(panels[type].module, given), late])
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
    throw error instanceof Error ? error.message : String(error) // anything may be thrown
  }
}

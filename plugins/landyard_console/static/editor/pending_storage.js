// The browser's storage of unsent changes, which survive the tab; one entry for each tab of a page.

/** @typedef {import('./queue.js').Entry} Entry */

const PREFIX = 'landyard.editor'

/** Hold a lock that shows that this tab is open. @param {string} name */
function hold(name) {
  return new Promise((resolve) => {
    if (!navigator.locks) {
      resolve(undefined)
      return
    }
    navigator.locks.request(name, () => new Promise(() => resolve(undefined)))
  })
}

/** @param {string} name @returns {Promise<boolean>} */
async function isHeld(name) {
  if (!navigator.locks) return false
  return navigator.locks.request(name, { ifAvailable: true }, (lock) => lock === null)
}

/** @param {string | null} text @returns {Entry[]} */
function read(text) {
  try {
    const entries = JSON.parse(text ?? '[]')
    return Array.isArray(entries) ? entries : []
  } catch {
    return []
  }
}

/** The stored changes of one tab. */
export class Shelf {
  /** @param {string} name @param {Storage} storage */
  constructor(name, storage) {
    this.name = name
    this.storage = storage
  }

  /** @param {readonly Entry[]} entries */
  write(entries) {
    if (entries.length) this.storage.setItem(this.name, JSON.stringify(entries))
    else this.storage.removeItem(this.name)
  }
}

/**
 * Open the storage of this tab, and take over the changes of the same user's closed tabs.
 * @param {string} user @param {string} page @param {Storage} [storage]
 * @returns {Promise<{shelf: Shelf, entries: Entry[]}>}
 */
export async function openShelf(user, page, storage = localStorage) {
  const place = `${PREFIX}.${user}.${page}.`
  const shelf = new Shelf(place + Date.now().toString(36) + Math.random().toString(36).slice(2, 8), storage)
  await hold(shelf.name)
  const names = Object.keys(storage)
    .filter((name) => name.startsWith(place) && name !== shelf.name)
    .sort()
  /** @type {Entry[]} */
  const entries = []
  const left = []
  for (const name of names) {
    if (await isHeld(name)) continue
    entries.push(...read(storage.getItem(name)))
    left.push(name)
  }
  shelf.write(entries)
  for (const name of left) storage.removeItem(name)
  return { shelf, entries }
}

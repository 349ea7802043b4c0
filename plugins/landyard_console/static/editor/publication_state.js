// The publication state of the page: whether it is public, whether the draft differs, and its
// address.

import { h, icon, t } from './dom.js'

/**
 * The page in the form of `landing.landing.getList`.
 * @typedef {{TITLE: string, CODE: string, ACTIVE: string, DELETED: string, PUBLISHED: string, CHANGED: string, PUBLIC_URL?: string, REVISION: string, LANG: string | null}} Page
 * @typedef {'trash' | 'draft' | 'hidden' | 'published' | 'changed'} State
 */

/** @param {import('./calls.js').Calls} calls @param {string} id @returns {Promise<Page>} */
export async function readPage(calls, id) {
  const select = ['TITLE', 'CODE', 'ACTIVE', 'DELETED', 'LANG']
  const params = {
    filter: { ID: id, DELETED: ['Y', 'N'] },
    select,
    get_revision: true,
    get_metadata: true,
    get_publication: true,
    get_urls: true
  }
  const [page] = await calls.call('landing.landing.getList', { params })
  return page
}

/** @param {Page} page @returns {State} */
export function stateOf({ ACTIVE, DELETED, PUBLISHED, CHANGED }) {
  if (DELETED === 'Y') return 'trash'
  if (PUBLISHED !== 'Y') return 'draft'
  if (ACTIVE !== 'Y') return 'hidden'
  return CHANGED === 'Y' ? 'changed' : 'published'
}

/** Whether visitors see the page. @param {Page | null} page */
export const isPublic = (page) => page !== null && ['published', 'changed'].includes(stateOf(page))

/**
 * Whether an edit can have changed the publication state: only for a public page, and not while a text
 * that already differs is being typed.
 * @param {Page | null} page @param {boolean} isTyping
 */
export const mayDiffer = (page, isTyping) =>
  page === null || (isPublic(page) && !(isTyping && stateOf(page) === 'changed'))

/** The link to the public page; null if it is not public. @param {Page | null} page @returns {HTMLElement | null} */
export const viewLink = (page) =>
  isPublic(page) && page?.PUBLIC_URL
    ? h(
        'a',
        { class: 'ed-view', href: page.PUBLIC_URL, target: '_blank', rel: 'noopener', title: t('bar.view_hint') },
        icon('view'),
        h('span', {}, t('bar.view'))
      )
    : null

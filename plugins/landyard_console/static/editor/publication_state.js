// How the page stands: whether visitors see it, whether the draft is another one by now, and where the page is.

import { h, icon, t } from './dom.js'

/**
 * The page as `landing.landing.getList` tells it.
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
 * Whether an edit can have made a page stand otherwise than is known: of one that visitors see, and not while a text that differs
 * already is typed on.
 * @param {Page | null} page @param {boolean} isTyping
 */
export const mayDiffer = (page, isTyping) =>
  page === null || (isPublic(page) && !(isTyping && stateOf(page) === 'changed'))

/** The way to the page as visitors see it; none where they do not. @param {Page | null} page @returns {HTMLElement | null} */
export const viewLink = (page) =>
  isPublic(page) && page?.PUBLIC_URL
    ? h(
        'a',
        { class: 'ed-view', href: page.PUBLIC_URL, target: '_blank', rel: 'noopener', title: t('bar.view_hint') },
        icon('view'),
        h('span', {}, t('bar.view'))
      )
    : null

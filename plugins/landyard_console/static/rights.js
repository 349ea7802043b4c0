/** The matrix of rights: each tick calls `landyard.right.set` with all rights of the user. */
import { call } from './call.js'
import { refresh, said } from './parts/call_elements.js'
import { byId, on } from './parts/elements.js'
import { tell } from './parts/notifications.js'

const storedRights = () => JSON.parse(byId('rights').dataset.rights)

on('change', '[data-right]', async (tick) => {
  const { user, place } = tick.closest('tr').dataset
  const ticked = /** @type {HTMLElement[]} */ ([...tick.closest('tr').querySelectorAll('[data-right]:checked')])
  const held = ticked.map((each) => String(each.dataset.right))
  // Each right implies the right to view.
  await set(user, place, held.length ? [...new Set(['view', ...held])] : [])
})

on('submit', '[data-add-place]', async (form, event) => {
  event.preventDefault()
  await set(form.elements.user.value, form.elements.place.value, ['view'])
})

/** @param {string} user @param {string} place @param {string[]} held */
async function set(user, place, held) {
  const { rights = {}, ...rest } = storedRights()[user] ?? {}
  try {
    await call('landyard.right.set', {
      user_id: Number(user),
      sites_access: rest.sites_access || held.length > 0,
      rights: { ...rights, [place]: held }
    })
  } catch (error) {
    tell(said(error), { bad: true })
  }
  await refresh()
}

/** The matrix of rights: each tick is a call of `landyard.right.set` with all that the user has. */
import { call } from './call.js'
import { refresh, said } from './parts/asking.js'
import { byId, on } from './parts/elements.js'
import { tell } from './parts/telling.js'

const known = () => JSON.parse(byId('rights').dataset.rights)

on('change', '[data-right]', async (tick) => {
  const { user, place } = tick.closest('tr').dataset
  const ticked = /** @type {HTMLElement[]} */ ([...tick.closest('tr').querySelectorAll('[data-right]:checked')])
  const held = ticked.map((each) => String(each.dataset.right))
  // Each right implies that the site can be seen.
  await set(user, place, held.length ? [...new Set(['view', ...held])] : [])
})

on('submit', '[data-add-place]', async (form, event) => {
  event.preventDefault()
  await set(form.elements.user.value, form.elements.place.value, ['view'])
})

/** @param {string} user @param {string} place @param {string[]} held */
async function set(user, place, held) {
  const { rights = {}, ...rest } = known()[user] ?? {}
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

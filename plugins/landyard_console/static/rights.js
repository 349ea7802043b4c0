/** The matrix of rights: each tick is a call of `landyard.right.set` with all that the user has. */
import { call } from './call.js'
import { refresh, said } from './parts/asking.js'
import { tell } from './parts/telling.js'

const known = () => JSON.parse(document.getElementById('rights').dataset.rights)

document.addEventListener('change', async event => {
  const tick = event.target.closest('[data-right]')
  if (!tick) return
  const { user, place } = tick.closest('tr').dataset
  const held = [...tick.closest('tr').querySelectorAll('[data-right]:checked')].map(each => each.dataset.right)
  // Each right implies that the site can be seen.
  await set(user, place, held.length ? [...new Set(['view', ...held])] : [])
})

document.addEventListener('submit', async event => {
  const form = event.target.closest('[data-add-place]')
  if (!form) return
  event.preventDefault()
  await set(form.elements.user.value, form.elements.place.value, ['view'])
})

async function set (user, place, held) {
  const { rights = {}, ...rest } = known()[user] ?? {}
  try {
    await call('landyard.right.set', {
      user_id: Number(user), sites_access: rest.sites_access || held.length > 0, rights: { ...rights, [place]: held }
    })
  } catch (error) {
    tell(said(error), { bad: true })
  }
  await refresh()
}

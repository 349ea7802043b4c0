/** The panel of calls: the console's calls since this screen was opened, to copy as `curl`. */
import { byId, on } from './elements.js'
import { tell } from './notifications.js'
import { text } from './texts.js'

const MOST = 100
/** @type {{method: string, params: any, status: number, body: any}[]} */
const calls = []

document.addEventListener('landyard:called', (event) => {
  calls.unshift(/** @type {CustomEvent} */ (event).detail)
  calls.length = Math.min(calls.length, MOST)
  draw()
})

document.addEventListener('toggle', (event) => event.target === byId('calls') && draw(), true)

on('click', '[data-copy-call], [data-copy]', async (copy) => {
  const what = copy.dataset.copyCall ? curl(calls[copy.dataset.copyCall]) : from(copy)
  try {
    await navigator.clipboard.writeText(what)
  } catch {
    byId(String(copy.dataset.copy))?.select?.()
    return tell(text('js.copy_refused'), { bad: true })
  }
  copy.dataset.said ??= copy.textContent
  const label = copy.dataset.said
  copy.textContent = text('js.copied')
  setTimeout(() => {
    copy.textContent = label
  }, 4000)
})

/** @param {HTMLElement} button */
function from(button) {
  const place = byId(String(button.dataset.copy))
  return place.value ?? place.textContent
}

/**
 * A call as a command; users insert their own token.
 * @param {{method: string, params: object}} call
 */
export function curl({ method, params }) {
  const body = JSON.stringify(params instanceof FormData ? Object.fromEntries(params) : params)
  return (
    `curl -s ${location.origin}/rest/${method} \\\n  -H "Authorization: Bearer $LANDYARD_TOKEN" \\\n` +
    `  -H 'Content-Type: application/json' \\\n  -d '${body.replaceAll("'", "'\\''")}'`
  )
}

function draw() {
  const details = byId('calls')
  if (!details?.open) return
  const list = details.querySelector('ol')
  list.replaceChildren(
    ...calls.map((each, at) => {
      const item = document.createElement('li')
      const name = document.createElement('code')
      name.textContent = each.method
      const status = document.createElement('span')
      status.textContent = each.status === 200 ? text('js.ok') : each.body.error || each.status
      status.className = each.status === 200 ? 'good' : 'bad'
      const copy = document.createElement('button')
      copy.type = 'button'
      copy.className = 'quiet small'
      copy.dataset.copyCall = String(at)
      copy.textContent = text('js.copy_curl')
      item.append(name, status, copy)
      return item
    })
  )
  details.querySelector('p').hidden = calls.length > 0
}

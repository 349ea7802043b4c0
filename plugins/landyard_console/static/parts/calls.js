/** The panel of calls: what the console has called since this screen was opened, to copy as `curl`. */
import { text } from './texts.js'

const MOST = 100
const calls = []

document.addEventListener('landyard:called', ({ detail }) => {
  calls.unshift(detail)
  calls.length = Math.min(calls.length, MOST)
  draw()
})

document.addEventListener('toggle', event => event.target.id === 'calls' && draw(), true)

document.addEventListener('click', async event => {
  const copy = event.target.closest('[data-copy-call], [data-copy]')
  if (!copy) return
  const what = copy.dataset.copyCall ? curl(calls[copy.dataset.copyCall]) : from(copy)
  await navigator.clipboard.writeText(what)
  const said = copy.textContent
  copy.textContent = text('js.copied')
  setTimeout(() => { copy.textContent = said }, 1500)
})

function from (button) {
  const place = document.getElementById(button.dataset.copy)
  return place.value ?? place.textContent
}

/** The same call as a command; the token is the reader's own. */
export function curl ({ method, params }) {
  const body = JSON.stringify(params instanceof FormData ? Object.fromEntries(params) : params)
  return `curl -s ${location.origin}/rest/${method} \\\n  -H "Authorization: Bearer $LANDYARD_TOKEN" \\\n` +
    `  -H 'Content-Type: application/json' \\\n  -d '${body.replaceAll("'", "'\\''")}'`
}

function draw () {
  const list = document.querySelector('#calls ol')
  if (!list || !list.closest('details').open) return
  list.replaceChildren(...calls.map((each, at) => {
    const item = document.createElement('li')
    const name = document.createElement('code')
    name.textContent = each.method
    const status = document.createElement('span')
    status.textContent = each.status === 200 ? text('js.ok') : each.body.error || each.status
    status.className = each.status === 200 ? 'good' : 'bad'
    const copy = document.createElement('button')
    copy.type = 'button'
    copy.className = 'quiet small'
    copy.dataset.copyCall = at
    copy.textContent = text('js.copy_curl')
    item.append(name, status, copy)
    return item
  }))
  document.querySelector('#calls p').hidden = calls.length > 0
}

// The explorer's page: credentials, search of methods, and light or dark theme.

import { parts, WITHHELD } from './parts.js'

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/
const the = (id) => document.getElementById(id)

// Kept only here, never in storage, an address or an element of the page.
let webhook = null

function read(text) {
  let url
  try {
    url = new URL(text.trim())
  } catch {
    throw Error('Paste the whole address: https://…/rest/1/…/, as “landyard webhook add” prints it.')
  }
  const found = /^\/rest\/(\d+)\/([^/]+)(\/|$)/.exec(url.pathname)
  if (!found || !/^https?:$/.test(url.protocol)) {
    throw Error('This is no webhook’s address: that has /rest/, the number of a user and a code.')
  }
  // On the local machine a service has several names; elsewhere another name may be another
  // service.
  const here =
    url.host === location.host ||
    (url.port === location.port && LOOPBACK.test(url.hostname) && LOOPBACK.test(location.hostname))
  if (!here) {
    throw Error(`This webhook belongs to ${url.host}; this page calls ${location.host} alone. Open the explorer there.`)
  }
  return { user: found[1], code: found[2] }
}

function show(refusal = '') {
  the('give').hidden = webhook !== null
  the('given').hidden = webhook === null
  the('told').textContent = refusal
  the('webhook').setAttribute('aria-invalid', String(refusal !== ''))
  the('who').textContent = webhook ? `user ${webhook.user}` : ''
  the('hint').textContent = webhook ? webhook.code.slice(-4) : ''
}

function ask(refusal) {
  show(refusal)
  the('credential').scrollIntoView({ block: 'nearest' })
  the('webhook').focus()
}

the('give').addEventListener('submit', (event) => {
  event.preventDefault()
  try {
    webhook = read(the('webhook').value)
  } catch (refusal) {
    return ask(refusal.message)
  }
  the('webhook').value = ''
  show()
  the('forget').focus()
})

the('forget').addEventListener('click', () => {
  webhook = null
  ask('')
})

// A call without a webhook is not sent; the field shows what is missing.
document.addEventListener(
  'click',
  (event) => {
    if (webhook || !event.target.closest('button.execute')) return
    event.stopPropagation()
    ask('Paste a webhook’s address first: a call has to say who calls.')
  },
  true
)

// The shown call has a placeholder instead of the webhook; the sent call has the webhook.
function sent(request) {
  if (webhook && request.url.startsWith(WITHHELD)) {
    const method = request.url.slice(WITHHELD.length)
    request.url = `${location.origin}/rest/${webhook.user}/${webhook.code}${method}`
  }
  request.credentials = 'omit'
  return request
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()
the('host').textContent = location.host

async function start() {
  const answer = await fetch('/openapi.json', { credentials: 'omit' })
  if (!answer.ok) throw Error(`the service answers ${answer.status}`)
  const spec = await answer.json()
  the('version').textContent = `${spec.info.title} ${spec.info.version}`
  spec.servers = [{ url: WITHHELD }]
  for (const operation of Object.values(spec.paths).flatMap(Object.values)) {
    operation.summary = operation.summary?.replaceAll('`', '') // a line of plain text
  }
  // The caller is set above, once for all methods.
  delete spec.security
  delete spec.components.securitySchemes
  const ui = window.SwaggerUIBundle({
    spec,
    dom_id: '#methods',
    presets: [window.SwaggerUIBundle.presets.apis],
    plugins: [parts(spec)],
    deepLinking: true,
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    requestInterceptor: sent,
    showMutatedRequest: false,
    tryItOutEnabled: true,
    validatorUrl: 'none',
    onComplete: () => the('loading').remove()
  })
  the('find').addEventListener('input', () => ui.layoutActions.updateFilter(the('find').value.trim()))
}

start().catch((error) => {
  the('loading').textContent = `The methods cannot be shown: ${error.message}. Reload the page to try again.`
})

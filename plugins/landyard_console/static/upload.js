/** Uploads of several files, one after the other, with progress; and the replacement of a file. */
import { CONSOLE, call, csrf } from './call.js'
import { refresh, said } from './parts/call_elements.js'
import { on } from './parts/elements.js'
import { tell } from './parts/notifications.js'
import { text } from './parts/texts.js'

on('submit', '[data-upload]', async (form, event) => {
  event.preventDefault()
  const button = form.querySelector('button.main')
  const list = form.querySelector('.progress')
  button.disabled = true
  form.closest('dialog').dataset.closed = 'refresh'
  const lines = [...form.elements.files.files].map((file) => ({ file, line: line(list, file.name) }))
  for (const { file, line } of lines) await send(form.elements.block.value, file, line)
  form.elements.files.value = ''
  button.disabled = false
})

on('submit', '[data-replace]', async (form, event) => {
  event.preventDefault()
  const button = form.querySelector('button.main')
  const list = form.querySelector('.progress')
  const [file] = form.elements.file.files
  button.disabled = true
  list.replaceChildren()
  try {
    const made = await send(form.elements.block.value, file, line(list, file.name))
    if (made) await replace(form, made.id)
  } catch (error) {
    const alert = form.querySelector('[role=alert]')
    alert.textContent = said(error)
    alert.hidden = false
  } finally {
    button.disabled = false
  }
})

/** @param {any} form @param {number} by the id of the new file */
async function replace(form, by) {
  // Save the alternative text first, because visitors see the new file at once.
  const page = Number(form.elements.block.selectedOptions[0].dataset.page)
  const alt = form.elements.alt?.value
  if (alt) await call('landyard.picture.update', { lid: page, id: by, alt })
  await call('landyard.file.replace', { id: Number(form.dataset.replace), by })
  form.closest('dialog').close()
  tell(text('js.replaced'))
  await refresh()
}

/** @param {HTMLElement} list @param {string} name */
function line(list, name) {
  const item = document.createElement('li')
  const bar = document.createElement('progress')
  const label = document.createElement('span')
  bar.max = 1
  bar.value = 0
  bar.setAttribute('aria-label', name)
  label.textContent = name
  item.append(label, bar)
  list.append(item)
  return item
}

/**
 * Resolves to the answer to the upload, or null. Uses XMLHttpRequest for its progress, which `fetch` lacks.
 * @param {string} block @param {File} file @param {HTMLElement} line @returns {Promise<any>}
 */
function send(block, file, line) {
  const bar = /** @type {HTMLProgressElement} */ (line.querySelector('progress'))
  const status = /** @type {HTMLElement} */ (line.querySelector('span'))
  const body = new FormData()
  body.append('block', block)
  body.append('picture', file)
  body.append('params[remove_location]', 'Y')
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('POST', `${CONSOLE}/call/landing.block.uploadfile`)
    request.setRequestHeader('X-CSRF-Token', csrf())
    request.upload.onprogress = ({ loaded, total }) => {
      bar.value = loaded / total
    }
    request.onloadend = () => {
      const answer = parsed(request.responseText)
      const done = request.status === 200
      bar.value = done ? 1 : 0
      line.className = done ? 'good' : 'bad'
      status.textContent = `${file.name}: ${done ? text('js.ok') : answer.error_description || text('js.unreachable')}`
      resolve(done ? answer.result : null)
    }
    request.send(body)
  })
}

/** @param {string} body @returns {any} */
function parsed(body) {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}

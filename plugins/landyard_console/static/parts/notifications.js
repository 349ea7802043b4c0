/** Messages about results, below the screen and in front of dialogs, also for screen readers. */

/**
 * @param {string} message
 * @param {{bad?: boolean, offer?: {word: string, act: () => void}}} [how] `offer` is a button after the message
 */
export function tell(message, { bad = false, offer } = {}) {
  const place = document.getElementById('told')
  if (!place) return
  const line = document.createElement('p')
  line.className = bad ? 'toast bad' : 'toast'
  line.textContent = message
  if (offer) line.append(button(offer, line))
  const modal = [...document.querySelectorAll('dialog:modal')].at(-1)
  if (modal)
    line.setAttribute('role', 'status') // content behind a dialog is dimmed and inert
  ;(modal ?? place).append(line)
  const back = () => place.append(line)
  modal?.addEventListener('close', back, { once: true })
  setTimeout(
    () => {
      modal?.removeEventListener('close', back)
      line.remove()
    },
    bad || offer ? 12000 : 5000
  )
}

/** @param {{word: string, act: () => void}} offer @param {HTMLElement} line */
function button({ word, act }, line) {
  const made = document.createElement('button')
  made.type = 'button'
  made.textContent = word
  made.addEventListener('click', () => {
    line.remove()
    act()
  })
  return made
}

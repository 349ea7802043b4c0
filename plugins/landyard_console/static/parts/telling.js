/** Tells what came of something, below the screen, where screen readers hear of it. */

/** @param {string} said @param {{bad?: boolean}} [how] */
export function tell (said, { bad = false } = {}) {
  const place = document.getElementById('told')
  if (!place) return
  const line = document.createElement('p')
  line.className = bad ? 'toast bad' : 'toast'
  line.textContent = said
  place.append(line)
  setTimeout(() => line.remove(), bad ? 12000 : 5000)
}

/** A file that a visitor has sent is got by a call, and saved: never opened in the console's origin. */
import { call } from './call.js'
import { on } from './parts/elements.js'
import { said } from './parts/asking.js'
import { tell } from './parts/telling.js'

on('click', '[data-file]', async button => {
  try {
    const file = await call('landyard.form.file', JSON.parse(button.dataset.file))
    if (!file) return
    const bytes = Uint8Array.from(atob(file.content), each => each.charCodeAt(0))
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
    link.download = file.name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000)
  } catch (error) {
    tell(said(error), { bad: true })
  }
})

/** Starts a search for text that was typed before htmx was loaded, by the trigger `early`. */
import { htmx } from './elements.js'

// htmx is imported before this and listens to the same event, so its triggers are set by now.
document.addEventListener('DOMContentLoaded', () => {
  for (const field of document.querySelectorAll('input[hx-trigger$="early"]')) {
    if (field instanceof HTMLInputElement && field.value !== field.defaultValue) htmx.trigger(field, 'early', {})
  }
})

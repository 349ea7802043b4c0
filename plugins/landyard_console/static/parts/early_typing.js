/** What was typed into a search before htmx was there is searched for as well: its trigger is `early`. */
import { htmx } from './elements.js'

// htmx, which is imported before this, listens to the same event: its triggers are set by now.
document.addEventListener('DOMContentLoaded', () => {
  for (const field of document.querySelectorAll('input[hx-trigger$="early"]')) {
    if (field instanceof HTMLInputElement && field.value !== field.defaultValue) htmx.trigger(field, 'early', {})
  }
})

/**
 * A part of a screen, made what the service says of it now. What has not changed stays the same element, with its focus,
 * its selection and its pictures. What somebody is at work in stays as it is, until the next time.
 */

// Of these there are many alike: without an id one is the same as another only where they are equal.
const REPEATED = 'tr, li, option'
const AT_WORK = ':popover-open, [aria-busy=true]'
const FIELDS = 'input, select, textarea'

/**
 * Make an element what `fresh` is, by as little as has changed.
 * @param {Element} old what is shown @param {Element} fresh what was answered
 */
export function renew(old, fresh) {
  const held = document.activeElement
  change(old, fresh)
  // What is put in another place loses the focus.
  if (held instanceof HTMLElement && held.isConnected && held !== document.activeElement)
    held.focus({ preventScroll: true })
}

/** @param {Element} old @param {Element} fresh */
function change(old, fresh) {
  if (old.isEqualNode(fresh)) return
  if (isAlike(old, fresh)) changeWithin(old, fresh)
  else if (!isAtWork(old)) old.replaceWith(document.importNode(fresh, true))
}

/** @param {Element} old @param {Element} fresh */
function changeWithin(old, fresh) {
  const left = [...old.children]
  const pairs = [...fresh.children].map((each) => {
    const at = left.findIndex((one) => isSame(one, each))
    return { each, one: at < 0 ? null : left.splice(at, 1)[0] }
  })
  for (const gone of left) if (!isAtWork(gone)) gone.remove()
  let next = old.firstElementChild
  for (const { each, one } of pairs) {
    if (!one) old.insertBefore(document.importNode(each, true), next)
    else if (one === next) next = one.nextElementSibling
    else old.insertBefore(one, next)
    if (one) change(one, each)
  }
}

/**
 * Whether two differ, if at all, in the elements within them alone.
 * @param {Element} old @param {Element} fresh
 */
function isAlike(old, fresh) {
  const text = words(fresh)
  return (
    fresh.children.length > 0 &&
    old.children.length > 0 &&
    old.cloneNode().isEqualNode(fresh.cloneNode()) &&
    words(old) === text &&
    (!text || old.children.length === fresh.children.length)
  )
}

/** @param {Element} one @param {Element} other */
const isSame = (one, other) =>
  one.nodeName === other.nodeName &&
  one.id === other.id &&
  (one.id !== '' || !one.matches(REPEATED) || one.isEqualNode(other))

/** The text that is an element's own. @param {Element} element */
const words = (element) =>
  [...element.childNodes]
    .filter((each) => each.nodeType === Node.TEXT_NODE)
    .map((each) => each.nodeValue?.trim())
    .join('')

/** Whether somebody is at work in an element: focus, a menu, a call, a changed field. @param {Element} element */
const isAtWork = (element) =>
  element.contains(document.activeElement) ||
  within(element, AT_WORK).length > 0 ||
  within(element, FIELDS).some(isTouched)

/** An element and what is in it, of a selector. @param {Element} element @param {string} selector */
const within = (element, selector) =>
  [element, ...element.querySelectorAll(selector)].filter((each) => each.matches(selector))

/** @param {any} field */
function isTouched(field) {
  if (field.matches('select'))
    return (
      field.selectedIndex !==
      Math.max(
        0,
        [...field.options].findIndex((each) => each.defaultSelected)
      )
    )
  if (field.matches('[type=checkbox], [type=radio]')) return field.checked !== field.defaultChecked
  return field.value !== field.defaultValue
}

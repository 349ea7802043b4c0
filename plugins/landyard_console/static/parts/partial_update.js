/**
 * The update of part of a screen to a fresh version. Unchanged elements stay, with their focus, selection and
 * pictures. Elements in use stay unchanged until the next time.
 */

// These elements occur many times: without an id, two correspond only if they are equal.
const REPEATED = 'tr, li, option'
const AT_WORK = ':popover-open, [aria-busy=true]'
const FIELDS = 'input, select, textarea'

/**
 * Make an element like `fresh` with the fewest changes.
 * @param {Element} old the shown element @param {Element} fresh the element from the answer
 */
export function renew(old, fresh) {
  const held = document.activeElement
  change(old, fresh)
  // An element that is moved would lose the focus.
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
  for (const surplus of left) if (!isAtWork(surplus)) surplus.remove()
  let next = old.firstElementChild
  for (const { each, one } of pairs) {
    if (!one) old.insertBefore(document.importNode(each, true), next)
    else if (one === next) next = one.nextElementSibling
    else old.insertBefore(one, next)
    if (one) change(one, each)
  }
}

/**
 * Whether two elements are equal except for their child elements.
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

/** The text nodes of an element itself. @param {Element} element */
const words = (element) =>
  [...element.childNodes]
    .filter((each) => each.nodeType === Node.TEXT_NODE)
    .map((each) => each.nodeValue?.trim())
    .join('')

/** Whether an element is in use: by focus, a menu, a call, or a changed field. @param {Element} element */
const isAtWork = (element) =>
  element.contains(document.activeElement) ||
  within(element, AT_WORK).length > 0 ||
  within(element, FIELDS).some(isTouched)

/** The elements of a selector within an element, including itself. @param {Element} element @param {string} selector */
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

// Changes an element to be like another one while keeping elements where possible, so that clicks
// reach them and nothing flickers.

/** @param {Node} node */
const kindOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.nodeName : String(node.nodeType))

/** @param {Element} now @param {Element} fresh @param {(name: string) => boolean} isOurs whether an attribute stays */
function takeAttributes(now, fresh, isOurs) {
  for (const { name } of [...now.attributes]) if (!fresh.hasAttribute(name) && !isOurs(name)) now.removeAttribute(name)
  for (const { name, value } of fresh.attributes) if (now.getAttribute(name) !== value) now.setAttribute(name, value)
}

/**
 * Make an element like a fresh one; children of another kind are replaced.
 * @param {Element} now @param {Element} fresh @param {(name: string) => boolean} isOurs
 */
export function morph(now, fresh, isOurs) {
  takeAttributes(now, fresh, isOurs)
  const [present, wanted] = [[...now.childNodes], [...fresh.childNodes]]
  const isAlike = present.length === wanted.length && present.every((node, at) => kindOf(node) === kindOf(wanted[at]))
  if (!isAlike) {
    now.replaceChildren(...wanted.map((node) => now.ownerDocument.importNode(node, true)))
    return
  }
  present.forEach((node, at) => {
    const other = wanted[at]
    if (node.nodeType === Node.ELEMENT_NODE)
      morph(/** @type {Element} */ (node), /** @type {Element} */ (other), isOurs)
    else if (node.nodeValue !== other.nodeValue) node.nodeValue = other.nodeValue
  })
}

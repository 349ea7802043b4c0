// The public address of a page with a changed last part.

/**
 * The public address with another last part; null if it does not end with the page's code, as for a main page.
 * @param {string} url @param {string} code the last part now @param {string} typed @returns {string | null}
 */
export function addressWith(url, code, typed) {
  const [, before, last, end] = /^(.*\/)([^/]+)(\/?)$/.exec(url) ?? []
  return last && decoded(last) === code ? `${before}${encodeURIComponent(typed)}${end}` : null
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

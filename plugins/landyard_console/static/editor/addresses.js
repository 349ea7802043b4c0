// Addresses of pages: the whole one that a last part makes, and a plain form of what somebody types.

/**
 * The public address with another last part; null where it does not end with the page's own, as that of a first page.
 * @param {string} url @param {string} code the last part now @param {string} typed @returns {string | null}
 */
export function addressWith (url, code, typed) {
  const [, before, last, end] = /^(.*\/)([^/]+)(\/?)$/.exec(url) ?? []
  return last && decoded(last) === code ? `${before}${encodeURIComponent(typed)}${end}` : null
}

/** As lower-case words with dashes between. Letters of other scripts stay. @param {string} typed */
export function plain (typed) {
  const letters = typed.normalize('NFKD').replace(/(\p{Script=Latin})\p{M}+/gu, '$1').normalize('NFC').toLowerCase()
  return letters.replace(/[^\p{L}\p{M}\p{N}_]+/gu, '-').replace(/^-+|-+$/g, '')
}

/** @param {string} part */
function decoded (part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

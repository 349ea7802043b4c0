// A plain form of an address that somebody types, good to read and to say.

/** As lower-case words with dashes between. Letters of other scripts stay. @param {string} typed */
export function plain(typed) {
  const letters = typed
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase()
  return letters.replace(/[^\p{L}\p{M}\p{N}_]+/gu, '-').replace(/^-+|-+$/g, '')
}

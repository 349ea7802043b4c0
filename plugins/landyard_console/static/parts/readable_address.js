// A readable form of a typed address.

/** Lower-case words joined by dashes. Letters of other scripts stay. @param {string} typed */
export function plain(typed) {
  const letters = typed
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase()
  return letters.replace(/[^\p{L}\p{M}\p{N}_]+/gu, '-').replace(/^-+|-+$/g, '')
}
